"""Read a log for share groups: whole batches, without those of aborted transactions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from barnabas.coordinators.share_partition.acquiring import LogBatch
from barnabas.coordinators.share_partition.spans import Span
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.log.partition.last_stable_offset import aborted_in
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batches.batch import BatchHeader, walk


class LogSlice(NamedTuple):
    """Batches as they are in the log, with their headers and their offsets."""

    records: memoryview
    headers: Sequence[BatchHeader]
    batches: Sequence[LogBatch]

    def holding(self, spans: Sequence[Span]) -> memoryview:
        """From the first batch to the last that has any of these offsets."""
        first, last = spans[0].first, spans[-1].last
        used = [
            header
            for header, each in zip(self.headers, self.batches, strict=True)
            if each.first <= last and each.last >= first
        ]
        return self.records[used[0].position : used[-1].end]


def read(log: PartitionLog, offset: int, end: int, most: int, *, committed_only: bool) -> LogSlice:
    """What is in a log from `offset` on, before `end`; about `most` bytes.

    Raises:
        BrokerError: the log cannot be read, or is damaged.
    """
    aborted: list[AbortedTransaction] = []
    data = memoryview(b"")
    try:
        found = log.read(offset, most, max_offset=end, min_one=True).records
        if found is not None:
            if committed_only:
                aborted = aborted_in(log, offset, found, end)
            data = memoryview(found.file.read(found.position, found.size))
        headers = list(walk(data))
    except StorageError as error:
        raise BrokerError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
    except DecodeError as error:
        raise BrokerError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    return LogSlice(data, headers, list(_batches(headers, offset, aborted)))


def _batches(
    headers: Iterable[BatchHeader], at: int, aborted: Sequence[AbortedTransaction]
) -> Iterator[LogBatch]:
    """The offsets of what was read from `at` on; an old compressed message tells the last alone."""
    for one in headers:
        is_known = one.count >= 0 or one.magic == 2
        first = one.base_offset if is_known else min(at, one.base_offset)
        yield LogBatch(first, one.last_offset, _is_in(one, aborted))
        at = one.next_offset


def _is_in(batch: BatchHeader, aborted: Sequence[AbortedTransaction]) -> bool:
    """Whether a batch has records of one of these transactions; their markers have not."""
    if not aborted or not batch.transactional or batch.control:
        return False
    return any(
        one.producer_id == batch.producer_id
        and one.first_offset <= batch.base_offset <= one.last_offset
        for one in aborted
    )
