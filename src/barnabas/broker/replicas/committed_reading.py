"""What a consumer of committed records may see of a partition (KIP-98)."""

from barnabas.broker.replicas.partition import Partition
from barnabas.dialects.commands import Fetched, Read
from barnabas.errors import StorageError
from barnabas.log.partition.stability import aborted_in, stable_end
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.wire.send import FileSlice


def read_committed(partition: Partition, read: Read, max_bytes: int, *, min_one: bool) -> Fetched:
    """As `Partition.read`, up to the last stable offset; tells the aborted transactions in it."""
    log = partition.log
    stable = stable_end(log)
    found = partition.read(read, max_bytes if read.offset < stable else 0, min_one=min_one)
    if found.error or found.diverging_epoch >= 0:
        return found
    try:
        records = found.records
        if records is not None and stable < log.written_end:
            records = log.read(read.offset, max_bytes, max_offset=stable, min_one=min_one).records
        aborted: list[AbortedTransaction] = []
        if isinstance(records, FileSlice):
            aborted = aborted_in(log, read.offset, records, stable)
    except StorageError as error:
        return Fetched(read.topic, read.topic_id, read.partition, error.code)
    return found._replace(records=records, aborted=aborted)
