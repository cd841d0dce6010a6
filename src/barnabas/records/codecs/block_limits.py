"""Limits on the number of blocks or members in compressed data: each costs time, even if empty.

Java's writers have blocks of 32 or 64 KiB, which have some 256 bytes even of zeros, and one member of gzip. A
megabyte of empty blocks would hold up a broker for a second.
"""

_LEAST = 4096
_PIECE_BYTES = 256


def most_pieces(size: int) -> int:
    """The most of so many compressed bytes."""
    return _LEAST + size // _PIECE_BYTES
