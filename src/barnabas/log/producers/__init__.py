"""Idempotent producers of a partition."""
