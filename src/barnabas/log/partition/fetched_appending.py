"""Append what a follower fetched: batches with the leader's offsets and epochs, as they are."""

from collections.abc import Iterator

from barnabas.errors import DecodeError
from barnabas.log.partition.limits import needs_new_segment
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.batch import HEADER_SIZE, BatchHeader, crc_is_right, read_header


def append_fetched(log: PartitionLog, records: memoryview, now_ms: int) -> None:
    """Write whole batches that were checked, of which the first begins at the end of the log or behind.

    Offsets may be missing between them: compaction took the records away.

    Raises:
        StorageError: they cannot be written; the log is offline.
    """
    if log.refusal is not None:
        raise log.refused()
    for batch in batches_in(records):
        data = records[batch.position : batch.end]
        entry = (batch.size, batch.last_offset, batch.max_timestamp)
        segment = log.segments.active
        log.end_offset = batch.base_offset
        if needs_new_segment(segment, log.config, entry, now_ms):
            segment = log.roll(now_ms)
        if batch.leader_epoch > log.epochs.latest:
            log.begin_epoch(batch.leader_epoch, batch.base_offset)
        if batch.producer_id >= 0:
            added = log.producers.add(batch, data, batch.base_offset, batch.max_timestamp)
            segment.note_aborted(added)
        log.queue_batch(data, batch.size, batch.last_offset, batch.max_timestamp)
    log.write_pending()


def batches_in(records: memoryview) -> Iterator[BatchHeader]:
    """The whole batches of a response; the last one may be cut off.

    Raises:
        DecodeError: something else is there.
    """
    position = 0
    while position + HEADER_SIZE <= len(records):
        batch = read_header(records, position)
        if batch.end > len(records):
            return
        yield batch
        position = batch.end


def checked_end(records: memoryview, offset: int, *, is_first: bool = False) -> tuple[int, int]:
    """The bytes of the whole batches, and the offset behind them; `offset` where there is none.

    `is_first`: they are the first of a log. Its leader may have deleted records up to one within a
    batch: then that begins before `offset`, and holds it.

    Raises:
        DecodeError: a batch is damaged, or begins before the one before it ends.
    """
    size = 0
    for batch in batches_in(records):
        holds_it = is_first and not size and batch.next_offset > offset
        if batch.base_offset < offset and not holds_it:
            raise DecodeError(
                "records", batch.position, f"offset {offset}, not {batch.base_offset}"
            )
        if not crc_is_right(records, batch):
            raise DecodeError("records", batch.position, "a batch whose CRC is right")
        size, offset = batch.end, batch.next_offset
    return size, offset
