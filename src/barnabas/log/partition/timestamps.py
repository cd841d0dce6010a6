"""Find the first record with a timestamp or a later one.

The time index gives a start, headers of batches find the batch, and only that batch is decoded.
Source: KIP-79, KIP-734; Kafka's UnifiedLog.fetchOffsetByTimestamp.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from barnabas.errors import DecodeError, StorageError
from barnabas.log.append_results import FoundTimestamp
from barnabas.log.segments.segment import Segment
from barnabas.log.segments.segments import Segments
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking, unpacked_bytes_max

if TYPE_CHECKING:
    from barnabas.records.columns.columns import RecordColumns


def first_not_before(
    segments: Segments, start: int, timestamp: int, unpacking: Unpacking | None = None
) -> FoundTimestamp | None:
    """The first record from offset `start` on whose timestamp is at least `timestamp`.

    Raises:
        RefusedRecords: a batch decompresses to too much, or to more than `unpacking` has left.
        StorageError: a batch is damaged.
    """
    search = _Search(start, lambda time: time >= timestamp, unpacking or Unpacking())
    for segment in segments.from_offset(start):
        if segment.max_timestamp < timestamp:
            continue
        found = search.from_position(segment, segment.position_before(timestamp))
        if found is not None:
            return found
    return None


def newest(
    segments: Segments, start: int, unpacking: Unpacking | None = None
) -> FoundTimestamp | None:
    """The first record that has the greatest timestamp; from magic 1 on -1 is one, too.

    Those of the segment that holds offset `start` count whole, as in Kafka.

    Raises:
        RefusedRecords, StorageError: as `first_not_before`.
    """
    candidates = segments.from_offset(start)
    segment = max(candidates, key=lambda each: each.max_timestamp)
    greatest = segment.max_timestamp
    position = segment.position_for(segment.max_timestamp_offset)
    search = _Search(0, lambda time: time >= greatest, unpacking or Unpacking())
    return search.from_position(segment, position)


class _Search(NamedTuple):
    """A search for the first record from an offset on with a suitable time."""

    start: int
    fits: Callable[[int], bool]
    unpacking: Unpacking

    def from_position(self, segment: Segment, position: int) -> FoundTimestamp | None:
        try:
            for header in segment.headers(position):
                if header.magic == 0:
                    continue  # Its records have no time.
                if self.fits(header.max_timestamp) and header.last_offset >= self.start:
                    found = self._in_batch(segment, header)
                    if found is not None:
                        return found
        except DecodeError as error:
            raise StorageError(f"{segment.stem}: {error}") from error
        return None

    def _in_batch(self, segment: Segment, header: BatchHeader) -> FoundTimestamp | None:
        if header.control or (header.log_append_time and header.magic == 2):
            offset = max(header.base_offset, self.start)
            return FoundTimestamp(header.max_timestamp, offset, header.leader_epoch)
        columns = self._columns(segment.file.read(header.position, header.size), header)
        assert columns.timestamps is not None
        assert columns.offsets is not None
        for offset, timestamp in zip(columns.offsets, columns.timestamps, strict=True):
            if self.fits(timestamp):
                return FoundTimestamp(timestamp, offset, header.leader_epoch)
        return None

    def _columns(self, data: bytes, header: BatchHeader) -> "RecordColumns":
        # Imported late, so that a broker starts faster; few need it at once.
        from barnabas.records.codecs.compression import UnpackedTooLarge
        from barnabas.records.columns.columns import ColumnSelection, decode_columns

        if header.codec:
            self.unpacking.check()
        wanted, limit = (
            ColumnSelection.OFFSET | ColumnSelection.TIMESTAMP,
            unpacked_bytes_max(len(data)),
        )
        try:
            columns = decode_columns([data], wanted=wanted, start=self.start, limit=limit)
        except UnpackedTooLarge as error:
            self.unpacking.failed(len(data), limit)
            raise RefusedRecords(error.code, str(error)) from error
        self.unpacking.took(len(data), columns.unpacked)
        return columns
