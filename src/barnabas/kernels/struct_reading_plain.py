"""`struct_reading` where nothing is compiled: generated Python reads faster than this could in Python."""

from collections.abc import Mapping


class Reader:
    """There is none."""


def read_request(
    frame: object,
    readers: Mapping[int, Reader],
    flexible_since: tuple[int, ...],
    make: type,
    spare: int,
) -> None:
    """Read nothing."""
    del frame, readers, flexible_since, make, spare
