"""What of a log is decided: up to where no transaction is open, and which before that were aborted.

Source: KIP-98; Kafka's UnifiedLog (lastStableOffset) and LocalLog (collectAbortedTransactions).
"""

from barnabas.log.partition_log import PartitionLog
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.wire.send import FileSlice


def stable_end(log: PartitionLog) -> int:
    """The last stable offset: where the oldest open transaction begins, or all that is written."""
    first = log.producers.first_open_transaction()
    if first is None or first >= log.written_end:
        return log.written_end
    return max(first, log.start_offset)


def aborted_in(
    log: PartitionLog, offset: int, records: FileSlice, limit: int
) -> list[AbortedTransaction]:
    """The aborted transactions that have records in what was read from `offset` on.

    They may have none there, where the end of the region is known only as being before `limit`.

    Raises:
        StorageError: a segment cannot be read.
    """
    found: list[AbortedTransaction] = []
    end = -1
    for segment in log.segments.from_offset(offset):
        for aborted in segment.aborted.from_offset(offset):
            if end < 0:
                end = _end_of(log, offset, records, limit)
            if aborted.first_offset < end:
                found.append(aborted)
            if aborted.stable_offset >= end:
                return found
    return found


def _end_of(log: PartitionLog, offset: int, records: FileSlice, limit: int) -> int:
    """The first offset behind a region, or `limit`."""
    end = records.position + records.size
    for segment in log.segments.from_offset(offset):
        if segment.file is records.file and end < segment.written:
            boundary = segment.boundary_at(end)
            return min(boundary.base_offset if boundary.position == end else limit, limit)
    return limit
