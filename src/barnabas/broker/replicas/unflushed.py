"""Appends that were written, but must be on stable storage before they count."""

from collections.abc import Callable, Sequence

from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.produce import PartitionProduceResponse

Unanswered = Sequence[PartitionProduceResponse]
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
    for answer in unanswered:
        answer.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        answer.base_offset = answer.log_append_time_ms = answer.log_start_offset = -1
        answer.error_message = str(error)
    for on_written in untold:
        on_written(ErrorCode.KAFKA_STORAGE_ERROR)
