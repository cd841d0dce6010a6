"""Load a coordinator's shard: replay all records of its partition's log.

Records of a transaction count when its commit marker comes, and not at all if it was aborted: a
Kafka that wrote the log may have committed offsets in transactions.
"""

from barnabas.coordinators.shard import CoordinatorShard
from barnabas.log.partition_log import PartitionLog
from barnabas.records.batch import BatchHeader, walk
from barnabas.records.control import read_marker
from barnabas.records.reading import decode_records
from barnabas.records.record import Record

_READ_BYTES = 1 << 20


def load_shard(log: PartitionLog, shard: CoordinatorShard) -> None:
    """Replay the log from its start to its end.

    Raises:
        StorageError: the log cannot be read or a batch is damaged.
        DecodeError: a record is not what its kind says.
    """
    loading = _Loading(log, shard)
    offset = log.start_offset
    while offset < log.written_end:
        found = log.read(offset, _READ_BYTES, max_offset=log.written_end, min_one=True).records
        if found is None:
            return
        data = memoryview(found.file.read(found.position, found.size))
        for header in walk(data):
            loading.take(header, data[header.position : header.end])
            offset = header.next_offset


class _Loading:
    def __init__(self, log: PartitionLog, shard: CoordinatorShard) -> None:
        self._topic, self._partition = log.topic_partition
        self._shard = shard
        self._open: dict[int, list[Record]] = {}

    def take(self, header: BatchHeader, batch: memoryview) -> None:
        if header.control:
            waiting = self._open.pop(header.producer_id, [])
            marker = read_marker(batch)
            if marker is not None and marker.committed:
                self._replay(waiting)
            return
        records, _ = decode_records(batch, self._topic, self._partition)
        if header.transactional:
            self._open.setdefault(header.producer_id, []).extend(records)
        else:
            self._replay(records)

    def _replay(self, records: list[Record]) -> None:
        for record in records:
            self._shard.replay(record.key, record.value)
