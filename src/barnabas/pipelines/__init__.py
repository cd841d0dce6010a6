"""One file per pipeline."""
