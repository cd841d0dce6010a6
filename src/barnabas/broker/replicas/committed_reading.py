"""What a consumer of committed records may see of a partition (KIP-98)."""

from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import StorageError
from barnabas.log.partition.stability import aborted_in, stable_end
from barnabas.protocol.fetch import AbortedTransaction
from barnabas.wire.send import FileSlice


def read_committed(partition: Partition, read: Read, max_bytes: int, *, min_one: bool) -> Fetched:
    """As `Partition.read`, up to the last stable offset; tells the aborted transactions in it."""
    log, offset = partition.log, read.asked.fetch_offset
    stable = stable_end(log)
    found = partition.read(read, max_bytes if offset < stable else 0, min_one=min_one)
    data = found.data
    if data.error_code or data.diverging_epoch is not None:
        return found
    try:
        if data.records and stable < log.high_watermark:
            records = log.read(offset, max_bytes, max_offset=stable, min_one=min_one).records
            data.records = b"" if records is None else records
        aborted = []
        if isinstance(data.records, FileSlice):
            aborted = aborted_in(log, offset, data.records, stable)
    except StorageError as error:
        return failed(read, error.code)
    data.aborted_transactions = [
        AbortedTransaction(producer_id=one.producer_id, first_offset=one.first_offset)
        for one in aborted
    ]
    return found
