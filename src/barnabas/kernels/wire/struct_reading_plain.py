"""`struct_reading` where nothing is compiled: generated Python reads faster than this could in Python."""

from collections.abc import Mapping


class Reader:
    """There is none."""


class Requests:
    """Reads nothing."""

    def __init__(
        self,
        readers: Mapping[int, Reader],
        made: type,
        most: int,
    ) -> None:
        del readers, made, most

    def read(self, frame: object, /) -> None:
        """No request is known."""
