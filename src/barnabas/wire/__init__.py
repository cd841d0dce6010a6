"""Bytes to frames, declarations to codecs. Knows no API."""
