"""Load a coordinator's shard: replay all records of its partition's log.

What is of a transaction the shard is told as such, and how the transaction ends.
"""

from barnabas.coordinators.shard import CoordinatorShard, TransactionalShard
from barnabas.log.partition_log import PartitionLog
from barnabas.records.batch import BatchHeader, walk
from barnabas.records.control import read_marker
from barnabas.records.reading import decode_records
from barnabas.records.record import Record

_READ_BYTES = 1 << 20


def load_shard(
    log: PartitionLog, shard: CoordinatorShard, transactional: TransactionalShard | None = None
) -> None:
    """Replay the log from its start to its end; what is of transactions only to `transactional`.

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
        for header in walk(data):
            batch = data[header.position : header.end]
            if not header.transactional:
                for record in _records(log, batch):
                    shard.replay(record.key, record.value)
            elif transactional is not None:
                _replay_in_transaction(log, header, batch, transactional)
            offset = header.next_offset


def _replay_in_transaction(
    log: PartitionLog, header: BatchHeader, batch: memoryview, shard: TransactionalShard
) -> None:
    if not header.control:
        for record in _records(log, batch):
            shard.replay_in_transaction(header.producer_id, record.key, record.value)
        return
    marker = read_marker(batch) if header.count else None
    if marker is not None:
        shard.end_transaction(header.producer_id, committed=marker.committed)


def _records(log: PartitionLog, batch: memoryview) -> list[Record]:
    return decode_records(batch, *log.topic_partition)[0]
