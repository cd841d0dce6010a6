"""`departing` where nothing is compiled: Python sends for each of them."""

from typing import TypeVar

_Leaving = TypeVar("_Leaving")


class Sender:
    """Sends nothing."""

    def __init__(self, outbox: type) -> None:
        del outbox

    def send(self, leaving: list[_Leaving], /) -> list[_Leaving]:
        """All of them: something is left to be done for each."""
        return leaving
