"""Scripts for shell completion."""
