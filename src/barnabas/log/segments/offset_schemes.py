"""The meaning of offsets in a log, and so of its segments' contents; the topic's format decides.

DENSE: one per record, in batches that contain theirs. BYTE_POSITION: the position of a message in
the log, as before Kafka 0.8.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from barnabas.log.file_names import LOG, OLD_LOG
from barnabas.log.segments.byte_scan import (
    locate_message,
    message_at,
    message_headers,
    scan_messages,
)
from barnabas.log.segments.entry_check import Claim
from barnabas.log.segments.scan import (
    BatchPosition,
    FoundBatch,
    locate,
    place_at,
    read_headers,
    scan_batches,
)
from barnabas.ports import File
from barnabas.records.batches.batch import BatchHeader


class _Scan(Protocol):
    def __call__(
        self, file: File, base: int, position: int, end: int, *, check_crcs: bool = True
    ) -> Iterator[FoundBatch]: ...


class _Locate(Protocol):
    def __call__(
        self,
        file: File,
        base: int,
        position: int,
        end: int,
        offset: int,
        claim: Claim | None = None,
    ) -> BatchPosition | None: ...


class _PlaceAt(Protocol):
    def __call__(
        self, file: File, base: int, position: int, end: int, claim: Claim | None = None
    ) -> BatchPosition: ...


class OffsetScheme(NamedTuple):
    """How the segments of a log are read; all of these take the segment's base offset.

    `suffix` is that of their files. The others are, in this order, as `scan_batches`,
    `read_headers`, `locate` and `place_at` in `scan`.
    """

    suffix: str
    scan: _Scan
    headers: Callable[[File, int, int, int], Iterator[BatchHeader]]
    locate: _Locate
    place_at: _PlaceAt


def _scan(
    file: File, base: int, position: int, end: int, *, check_crcs: bool = True
) -> Iterator[FoundBatch]:
    del base
    return scan_batches(file, position, end, check_crcs=check_crcs)


def _headers(file: File, base: int, position: int, end: int) -> Iterator[BatchHeader]:
    del base
    return read_headers(file, position, end)


def _locate(
    file: File, base: int, position: int, end: int, offset: int, claim: Claim | None = None
) -> BatchPosition | None:
    del base
    return locate(file, position, end, offset, claim)


def _place_at(
    file: File, base: int, position: int, end: int, claim: Claim | None = None
) -> BatchPosition:
    del base
    return place_at(file, position, end, claim)


DENSE = OffsetScheme(LOG, _scan, _headers, _locate, _place_at)
BYTE_POSITION = OffsetScheme(OLD_LOG, scan_messages, message_headers, locate_message, message_at)
