"""Load a coordinator's shard: replay all records of its partition's log.

What is of a transaction the shard is told as such, and how the transaction ends.
"""

from collections.abc import Callable, Iterator

from barnabas.coordinators.record_rows import RecordRows, rows_of
from barnabas.coordinators.shard import CoordinatorShard, TransactionalShard
from barnabas.log.partition_log import PartitionLog
from barnabas.records.batch import BatchHeader, walk
from barnabas.records.columns import Wanted, decode_columns
from barnabas.records.control import read_marker
from barnabas.records.kinds import are_plain
from barnabas.records.reading import decode_records

_READ_BYTES = 1 << 20

Bulk = Callable[[RecordRows, int], int]
"""Takes in records from a row on, as many as it can; gives the row of the next one."""


def load_shard(
    log: PartitionLog,
    shard: CoordinatorShard,
    transactional: TransactionalShard | None = None,
    bulk: Bulk | None = None,
) -> None:
    """Replay the log from its start to its end; what is of transactions only to `transactional`.

    `bulk` does the same as replaying one by one what it takes in.

    Raises:
        StorageError: the log cannot be read or a batch is damaged.
        DecodeError: a record is not what its kind says.
    """
    offset = log.start_offset
    while offset < log.written_end:
        found = log.read(offset, _READ_BYTES, max_offset=log.written_end, min_one=True).records
        if found is None:
            return
        data = memoryview(found.file.read(found.position, found.size))
        if are_plain(data):
            offset = _replay_run(data, offset, shard, bulk)
            continue
        for header, run in _runs(data):
            if not header.transactional:
                offset = _replay_run(run, offset, shard, bulk)
            elif transactional is not None:
                _replay_in_transaction(log, header, run, transactional)
            offset = max(offset, header.next_offset)


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


def _replay_run(run: memoryview, offset: int, shard: CoordinatorShard, bulk: Bulk | None) -> int:
    """Replay batches of no transaction; gives the offset behind them."""
    columns = decode_columns([run], wanted=Wanted.KEY | Wanted.VALUE, start=offset)
    rows, row = rows_of(columns), 0
    while row < columns.count:
        if bulk is not None:
            row = bulk(rows, row)
        if row < columns.count:
            shard.replay(rows.key(row), rows.value(row))
            row += 1
    return columns.next_offset


def _replay_in_transaction(
    log: PartitionLog, header: BatchHeader, batch: memoryview, shard: TransactionalShard
) -> None:
    if not header.control:
        for record in decode_records(batch, *log.topic_partition)[0]:
            shard.replay_in_transaction(header.producer_id, record.key, record.value)
        return
    marker = read_marker(batch) if header.count else None
    if marker is not None:
        shard.end_transaction(header.producer_id, committed=marker.committed)
