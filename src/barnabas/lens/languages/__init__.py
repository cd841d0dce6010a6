"""The wire languages that are explained."""
