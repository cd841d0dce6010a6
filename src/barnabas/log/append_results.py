"""The results of appends to and reads from a log."""

from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.types import NO_TIMESTAMP
from barnabas.wire.send import FileSlice


class AppendInfo(NamedTuple):
    """Where an appended batch went, or where its first copy is."""

    base_offset: int
    last_offset: int
    append_time_ms: int = NO_TIMESTAMP
    """The time given to its records; -1 where they keep their producer's."""
    log_start_offset: int = 0
    duplicate: bool = False
    """Nothing was appended: the producer has sent this batch before."""


class ReadInfo(NamedTuple):
    """A region of a segment file, or why there is none. No records and no error: nothing new."""

    records: FileSlice | None = None
    error: ErrorCode = ErrorCode.NONE


class FoundTimestamp(NamedTuple):
    """A record found by its time."""

    timestamp: int
    offset: int
    leader_epoch: int


NOTHING = ReadInfo()
OUT_OF_RANGE = ReadInfo(error=ErrorCode.OFFSET_OUT_OF_RANGE)
