"""Compression."""
