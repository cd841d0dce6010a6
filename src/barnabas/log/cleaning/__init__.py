"""Compaction of one log."""
