"""Connections: bytes to frames, responses to bytes, back-pressure."""
