"""Decode formatted values, a column at a time."""
