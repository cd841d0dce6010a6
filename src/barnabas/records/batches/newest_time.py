"""The greatest time of a batch's records, which are gone through for it as a broker has to."""

from barnabas.errors import ErrorCode
from barnabas.kernels import layout, producing
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.refused import RefusedRecords
from barnabas.types import Buffer


def newest_time(records: Buffer, start: int, end: int, header: BatchHeader) -> int:
    """The greatest time of the records from `start` to `end`, which are not compressed; -1 for none.

    Raises:
        RefusedRecords: INVALID_RECORD: they are not what the header says.
    """
    result, record, newest = producing.check(
        records, start, end, header.count, header.base_timestamp
    )
    if result < 0:
        words = f"record {record}: {layout.WORDS[result]}"
        raise RefusedRecords(ErrorCode.INVALID_RECORD, words, [(record, words)])
    return newest
