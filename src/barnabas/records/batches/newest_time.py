"""The largest timestamp of a batch's records, found by decoding them."""

from barnabas.errors import ErrorCode
from barnabas.kernels import layout
from barnabas.kernels.batches import producing
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.types import Buffer


def newest_time(records: Buffer, start: int, end: int, header: BatchHeader) -> int:
    """The largest timestamp of the uncompressed records from `start` to `end`; -1 for none.

    Raises:
        RefusedRecords: INVALID_RECORD: they contradict the header.
    """
    result, record, newest = producing.check(
        records, start, end, header.count, header.base_timestamp
    )
    if result < 0:
        words = f"record {record}: {layout.WORDS[result]}"
        raise RefusedRecords(ErrorCode.INVALID_RECORD, words, [(record, words)])
    return newest
