"""Clients that are held to work with our broker, and the notes from which docs/compatibility.md is made."""
