"""Copy a log to another directory of the broker, batch by batch, while it changes."""

from barnabas.errors import CorruptRecord
from barnabas.log.partition.fetched_appending import append_fetched, checked_end
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.truncation import begin_with, skip_to, start_anew
from barnabas.records.batches.batch import read_entry


def copy_slice(log: PartitionLog, future: PartitionLog, most_bytes: int, now_ms: int) -> int:
    """Append to `future` what follows in `log`; returns its bytes. 0: it has all that is written.

    The first batch comes whole, even if it is longer than `most_bytes`.

    Raises:
        DecodeError: a batch of the log is damaged.
        StorageError: the log cannot be read, or its copy not written.
    """
    size = 0
    if future.end_offset < log.start_offset:
        # Retention was quicker.
        start_anew(future, log.start_offset)
    if future.end_offset < log.written_end:
        size = _append(log, future, most_bytes, now_ms)
    future.high_watermark = min(log.high_watermark, future.end_offset)
    if future.start_offset < log.start_offset <= future.high_watermark:
        future.delete_before(log.start_offset)
    return size


def _append(log: PartitionLog, future: PartitionLog, most_bytes: int, now_ms: int) -> int:
    offset, end = future.end_offset, log.written_end
    found = log.read(offset, most_bytes, max_offset=end, min_one=True).records
    if found is None or not found.size:
        # After the last batch there is a gap, where compaction or a loss took records.
        skip_to(future, end, now_ms)
        return 0
    records = memoryview(found.read())
    size, _ = checked_end(records, offset, is_first=offset == future.start_offset)
    if not size:
        raise CorruptRecord(f"{log.directory} has no whole batch at offset {offset}")
    begin_with(future, read_entry(records).base_offset)
    append_fetched(future, records[:size], now_ms)
    return size


def agreed_end(log: PartitionLog, future: PartitionLog) -> int:
    """Up to where a copy has the log's records for sure, by their leader epochs, after a start.

    One of the two may have lost what was not on stable storage, and the log may have been cut before. Where
    records have no epochs, the high watermark decides. Source: KIP-101, KIP-279.
    """
    epoch = min(future.leader_epoch, log.leader_epoch)
    while epoch >= 0:
        known, end = log.end_offset_for_epoch(epoch)
        copied, own_end = future.end_offset_for_epoch(epoch)
        if known == copied:
            return min(end, own_end)
        epoch = min(known, copied)
    return min(log.recovered_watermark, log.end_offset, future.end_offset)
