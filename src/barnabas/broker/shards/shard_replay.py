"""Load a coordinator's shard: replay all records of its partition's log, in steps.

The shard receives records of transactions as such, and how each transaction ends. A damaged record is
skipped, with an error in the log; all others count.
"""

import logging
from collections.abc import Callable, Iterator

from barnabas.coordinators.common.record_rows import RecordRows, rows_of
from barnabas.coordinators.common.shard import CoordinatorShard, TransactionalShard
from barnabas.errors import DecodeError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.batch import BatchHeader, walk
from barnabas.records.batches.control import read_marker
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.kinds import are_plain
from barnabas.records.columns.reading import decode_records

log = logging.getLogger(__name__)

_READ_BYTES = 256 << 10
"""Of a step, which takes some 20 ms: others are served between two of them."""

Bulk = Callable[[RecordRows, int], int]
"""Takes in records from a row on, as many as it can; gives the row of the next one."""


def load_shard(
    kept: PartitionLog,
    shard: CoordinatorShard,
    transactional: TransactionalShard | None = None,
    bulk: Bulk | None = None,
) -> Iterator[None]:
    """Replay the log from its start to its high watermark; what is of transactions only to `transactional`.

    The log may grow between two steps: what is committed at the last one is replayed as well.

    `bulk` does the same as replaying one by one what it takes in.

    Raises:
        StorageError: the log cannot be read or a batch is damaged.
        DecodeError: what is in the log are no batches.
    """
    if kept.failure is not None:
        raise kept.offline()  # Also where there seems to be nothing to read.
    offset = kept.start_offset
    while offset < kept.high_watermark:
        found = kept.read(offset, _READ_BYTES, max_offset=kept.high_watermark, min_one=True).records
        if found is None:
            return
        data = memoryview(found.file.read(found.position, found.size))
        if are_plain(data):
            offset = _replay_run(kept, data, offset, shard, bulk)
            yield
            continue
        for header, run in _runs(data):
            if not header.transactional:
                offset = _replay_run(kept, run, offset, shard, bulk)
            elif transactional is not None:
                _replay_in_transaction(kept, header, run, transactional)
            offset = max(offset, header.next_offset)
        yield


def _runs(data: memoryview) -> Iterator[tuple[BatchHeader, memoryview]]:
    """The batches, each alone that is of a transaction; what lies between is one run of the last."""
    start = end = 0
    last: BatchHeader | None = None
    for header in walk(data):
        if header.transactional:
            if last is not None:
                yield last, data[start:end]
            yield header, data[header.position : header.end]
            start, last = header.end, None
        else:
            last = header
        end = header.end
    if last is not None:
        yield last, data[start:end]


def _replay_run(
    kept: PartitionLog, run: memoryview, offset: int, shard: CoordinatorShard, bulk: Bulk | None
) -> int:
    """Replay batches of no transaction; returns the offset after them."""
    columns = decode_columns(
        [run], wanted=ColumnSelection.KEY | ColumnSelection.VALUE, start=offset
    )
    rows, row = rows_of(columns), 0
    offsets: memoryview | None = None
    while row < columns.count:
        if bulk is not None:
            row = bulk(rows, row)
        if row < columns.count:
            try:
                shard.replay(rows.key(row), rows.value(row))
            except DecodeError as error:
                if offsets is None:
                    offsets = decode_columns(
                        [run], wanted=ColumnSelection.OFFSET, start=offset
                    ).offsets
                    assert offsets is not None
                _leave_out(kept, offsets[row], error)
            row += 1
    return columns.next_offset


def _replay_in_transaction(
    kept: PartitionLog, header: BatchHeader, batch: memoryview, shard: TransactionalShard
) -> None:
    if not header.control:
        for record in decode_records(batch, *kept.topic_partition)[0]:
            try:
                shard.replay_in_transaction(header.producer_id, record.key, record.value)
            except DecodeError as error:
                _leave_out(kept, record.offset, error)
        return
    marker = read_marker(batch) if header.count else None
    if marker is not None:
        shard.end_transaction(header.producer_id, committed=marker.committed)


def _leave_out(kept: PartitionLog, offset: int, error: DecodeError) -> None:
    topic, index = kept.topic_partition
    log.error(  # a trace says nothing about a record
        "record left out",
        extra={"topic": topic, "partition": index, "offset": offset, "error": error},
    )
