"""A topic's rules for produced records: a key if it is compacted, a timestamp near the current time.

Only batches that could break such a rule are looked into, compressed ones after decompression.
Source: Kafka's LogValidator, KIP-467 (the errors of single records), KIP-937 (bounds of times).
"""

from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import unpacked_bytes_max
from barnabas.records.columns.columns import (
    BytesColumn,
    ColumnSelection,
    RecordColumns,
    decode_columns,
)
from barnabas.types import NO_TIMESTAMP, Buffer

_MOST_REPORTED = 1000
"""The number of invalid records reported to a producer: responses stay smaller than requests."""

_NO_KEY = "a record in a compacted topic needs a key"


class RecordRules(NamedTuple):
    """`keyed`: no key may be null; `earliest` to `latest`, in ms: the times allowed, inclusive."""

    keyed: bool
    earliest: int
    latest: int

    def check(self, batch: Buffer) -> None:
        """Check each record of a batch whose CRC is correct.

        Raises:
            RefusedRecords: INVALID_TIMESTAMP if a record's time is out of bounds, otherwise
                INVALID_RECORD, with the invalid records.
        """
        wanted = ColumnSelection.TIMESTAMP | (
            ColumnSelection.KEY if self.keyed else ColumnSelection(0)
        )
        limit = unpacked_bytes_max(len(batch))
        try:
            columns = decode_columns([batch], wanted=wanted, start=0, check_crcs=False, limit=limit)
        except CorruptRecord as error:
            raise RefusedRecords(ErrorCode.INVALID_RECORD, str(error)) from error
        keyless = dict.fromkeys(_nulls(columns.key), _NO_KEY) if columns.key else {}
        # A record is refused for one reason, the first that Kafka looks at.
        far = {row: words for row, words in self._far(columns) if row not in keyless}
        faults = sorted({**far, **keyless}.items())
        if faults:
            code = ErrorCode.INVALID_TIMESTAMP if far else ErrorCode.INVALID_RECORD
            words = f"{len(faults)} of {columns.count} records are refused; {faults[0][1]}"
            raise RefusedRecords(code, words, records=faults[:_MOST_REPORTED])

    def _far(self, columns: RecordColumns) -> Iterator[tuple[int, str]]:
        times = columns.timestamps
        if not times or (self.earliest <= min(times) and max(times) <= self.latest):
            return
        for row, time in enumerate(times):
            if not self.earliest <= time <= self.latest and time != NO_TIMESTAMP:
                yield row, f"time {time} is not within {self.earliest} and {self.latest}"


def _nulls(column: BytesColumn) -> Iterator[int]:
    """The rows that are null."""
    valid = column.validity
    if valid is not None:
        for row in range(len(column.ends) - 1):
            if not valid[row >> 3] >> (row & 7) & 1:
                yield row
