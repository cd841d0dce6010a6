"""BlockRecords: the payloads of a block as records: values without keys or headers.

Their timestamp is the time of the copy: Kafka 0.7 messages have none, and Kafka's MirrorMaker does
the same.
"""

from array import array

from barnabas.migration.block_reader import Block
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.payload_sum import PayloadSum
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.columns.arrow_input import NULLS, rows_of
from barnabas.records.columns.encoding import EncodeOptions, encode_rows


class BlockRecords:
    """`count` records."""

    def __init__(self, block: Block, now_ms: int) -> None:
        self.count = block.messages.size
        self._block = block
        self._column = block.messages.payloads()
        self._rows = rows_of(
            memoryview(array("q", (now_ms,)) * self.count),
            NULLS,
            NULLS._replace(ends=self._column.ends, data=self._column.data),
            None,
        )
        self._order = array("i", range(self.count))
        self._sizes = array("i", bytes(4 * self.count))

    def sum(self, first: int, last: int) -> PayloadSum:
        """The checksums of the payloads [first, last)."""
        return PayloadSum().add(self._column, first, last)

    def batch(self, first: int, options: EncodeOptions) -> tuple[bytearray, int]:
        """Return a batch of as many records as fit from `first` on, and their number.

        Raises:
            MigrationStopped: the first does not fit.
        """
        span = (first, self.count)
        try:
            batch, count = encode_rows(self._rows, self._order, span, self._sizes, options)
        except RefusedRecords as error:
            raise self.too_large(str(error)) from error
        if count == 1 and len(batch) > options.batch_bytes:
            raise self.too_large(f"{len(batch)} bytes exceed {options.batch_bytes}")
        return batch, count

    def too_large(self, why: str) -> MigrationStopped:
        """The error for a message that the target refuses."""
        return MigrationStopped(
            f"the target does not accept a message between the bytes {self._block.start} and "
            f"{self._block.end} of the source: {why} (max.message.bytes of the topic)"
        )
