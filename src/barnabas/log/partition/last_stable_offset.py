"""The last stable offset of a log, and the aborted transactions below it.

Source: KIP-98; Kafka's UnifiedLog (lastStableOffset) and LocalLog (collectAbortedTransactions).
"""

from barnabas.errors import DamagedFile
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.producer_recovery import rebuild_aborted
from barnabas.log.segments.segment import Segment
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.control import read_marker
from barnabas.wire.send import FileSlice


def stable_end(log: PartitionLog) -> int:
    """The last stable offset: where the oldest open transaction begins, or the high watermark."""
    first = log.producers.first_open_transaction()
    if first is None or first >= log.high_watermark:
        return log.high_watermark
    return max(first, log.start_offset)


def aborted_in(
    log: PartitionLog, offset: int, records: FileSlice, limit: int
) -> list[AbortedTransaction]:
    """The aborted transactions with records in what was read from `offset` on.

    They may have none there, if the end of the region is only known to be before `limit`.

    Raises:
        StorageError: a segment cannot be read.
    """
    found: list[AbortedTransaction] = []
    end = -1
    for segment in log.segments.from_offset(offset):
        index = segment.aborted
        if index.fault:
            rebuild_aborted(log, segment, index.fault)
        for aborted in index.from_offset(offset):
            if aborted.last_offset not in index.compared:
                if not _is_borne_out(log, segment, aborted):
                    fault = f"its entry {tuple(aborted)} contradicts the batches"
                    rebuild_aborted(log, segment, fault)
                    return aborted_in(log, offset, records, limit)
                index.compared.add(aborted.last_offset)
            if end < 0:
                end = _end_of(log, offset, records, limit)
            if aborted.first_offset < end:
                found.append(aborted)
            if aborted.stable_offset >= end:
                return found
    return found


def _is_borne_out(log: PartitionLog, segment: Segment, aborted: AbortedTransaction) -> bool:
    """Whether an entry's first batch and marker are there, if that can be seen."""
    producer, first, last, _ = aborted
    try:
        marker = _batch_with(segment, last)
        if marker is None or not marker.control or marker.producer_id != producer:
            return False
        read = read_marker(segment.file.read(marker.position, marker.size))
        if read is None or read.committed:
            return False
        if first < log.segments.first.base_offset:
            return True
        number = log.segments.number_of(first)
        batch = _batch_with(log.segments[number], first)
    except DamagedFile:
        return True
    if batch is None:
        return True  # Compaction has removed it.
    return batch.base_offset == first and batch.producer_id == producer and batch.transactional


def _batch_with(segment: Segment, offset: int) -> BatchHeader | None:
    """The header of the batch that holds an offset; None where none does."""
    place = segment.find(offset)
    if place is None or place.base_offset > offset:
        return None
    return segment.first_header(place.position)


def _end_of(log: PartitionLog, offset: int, records: FileSlice, limit: int) -> int:
    """The first offset after a region, or `limit`."""
    end = records.position + records.size
    for segment in log.segments.from_offset(offset):
        if segment.file is records.file and end < segment.written:
            boundary = segment.boundary_at(end)
            return min(boundary.base_offset if boundary.position == end else limit, limit)
    return limit
