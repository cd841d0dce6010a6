"""Appends that were written, but must be on stable storage before they count."""

from collections.abc import Callable, Sequence

from barnabas.dialects.commands import Appended
from barnabas.errors import ErrorCode, StorageError

Unanswered = Sequence[tuple[list[Appended], int]]
Untold = list[Callable[[ErrorCode], None]]


class Unseen:
    """What was written at once and waits to be seen: where it ends, and who waits with it."""

    __slots__ = ("callbacks", "end", "unanswered", "untold")

    def __init__(self, end: int, unanswered: Unanswered, untold: Untold) -> None:
        self.end = end
        self.unanswered = unanswered
        self.untold = untold
        self.callbacks: list[Callable[[], None]] = []


def fail(error: StorageError, unanswered: Unanswered, untold: Untold) -> None:
    """Make errors of the answers to appends that the disk has lost, and tell those who wait."""
    for answers, index in unanswered:
        answers[index] = Appended(ErrorCode.KAFKA_STORAGE_ERROR, message=str(error))
    for on_written in untold:
        on_written(ErrorCode.KAFKA_STORAGE_ERROR)
