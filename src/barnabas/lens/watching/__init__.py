"""Frames of connections that somebody watches, as they are: explained only when looked at."""
