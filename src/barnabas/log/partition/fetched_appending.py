"""Append what a follower fetched: batches with the leader's offsets and epochs, as they are.

Messages of magic 0 and 1, each as a batch, have no epochs: where one is, epochs do not tell where two
logs part any more, so all are forgotten, and the high watermark decides (as before KIP-101).

Source: Kafka's Log.append and Log.maybeRoll.
"""

from barnabas.errors import DecodeError
from barnabas.log.partition.limits import needs_new_segment
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.batch import crc_is_right, walk

_MAGIC = 2
"""Of records with an epoch, and with the first offset in their header."""
_INT32_MAX = (1 << 31) - 1


def append_fetched(log: PartitionLog, records: memoryview, now_ms: int) -> None:
    """Write whole batches that were checked; the first begins at the end of the log, or after it.

    Offsets may be missing between them: compaction took the records away.

    Raises:
        StorageError: they cannot be written; the log is offline.
    """
    if log.refusal is not None:
        raise log.refused()
    for batch in walk(records):
        data = records[batch.position : batch.end]
        entry = (batch.size, batch.last_offset, batch.max_timestamp)
        segment = log.segments.active
        if batch.magic == _MAGIC:
            log.end_offset = batch.base_offset
        else:
            # Where a compressed message begins is known inside alone; a segment holds offsets this far.
            log.end_offset = max(log.end_offset, batch.base_offset - _INT32_MAX)
            log.forget_epochs()
        if needs_new_segment(segment, log.config, entry, now_ms):
            segment = log.roll(now_ms)
        if batch.leader_epoch > log.epochs.latest:
            log.begin_epoch(batch.leader_epoch, batch.base_offset)
        if batch.producer_id >= 0:
            added = log.producers.add(batch, data, batch.base_offset, batch.max_timestamp)
            segment.note_aborted(added)
        log.queue_batch(data, batch.size, batch.last_offset, batch.max_timestamp)
    log.write_pending()


def checked_end(records: memoryview, offset: int, *, is_first: bool = False) -> tuple[int, int]:
    """The bytes of the whole batches and messages, and the offset after them; `offset` where there is none.

    `is_first`: they are the first of a log. Its leader may have deleted records up to one within a
    batch: then that begins before `offset`, and holds it.

    Raises:
        DecodeError: a batch is damaged, or begins before the one before it ends.
    """
    size = 0
    for batch in walk(records):
        holds_it = is_first and not size and batch.next_offset > offset
        if batch.base_offset < offset and not holds_it:
            raise DecodeError(
                "records", batch.position, f"offset {offset}, not {batch.base_offset}"
            )
        if not crc_is_right(records, batch):
            raise DecodeError("records", batch.position, "a batch whose CRC is right")
        size, offset = batch.end, batch.next_offset
    return size, offset
