"""Appends that are written but not committed: not flushed yet, or not replicated yet."""

from collections.abc import Callable, Sequence

from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.produce import PartitionProduceResponse

Unanswered = Sequence[PartitionProduceResponse]
WriteCallbacks = list[Callable[[ErrorCode], None]]


class UncommittedAppend:
    """One write to the log, and the requests that wait until it is committed.

    `end` is the offset after its last record. `unanswered` are the responses to change if the disk
    fails, `write_callbacks` and `callbacks` are called at the end.
    """

    __slots__ = ("callbacks", "end", "unanswered", "write_callbacks")

    def __init__(self, end: int, unanswered: Unanswered, write_callbacks: WriteCallbacks) -> None:
        self.end = end
        self.unanswered = unanswered
        self.write_callbacks = write_callbacks
        self.callbacks: list[Callable[[], None]] = []


def fail(error: StorageError, unanswered: Unanswered, write_callbacks: WriteCallbacks) -> None:
    """Turn the responses to lost appends into errors, and call the callbacks with that error."""
    for answer in unanswered:
        answer.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        answer.base_offset = answer.log_append_time_ms = answer.log_start_offset = -1
        answer.error_message = str(error)
    for on_written in write_callbacks:
        on_written(ErrorCode.KAFKA_STORAGE_ERROR)
