"""The whole batches of a buffer with a table of their headers: what compaction goes over."""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.batches import batch_rows
from barnabas.records.batches.batch import CODEC_MASK, CONTROL, CRC_FROM, TRANSACTIONAL
from barnabas.records.batches.unpacking import unpacked_bytes_max
from barnabas.records.checksums import first_wrong
from barnabas.records.codecs.compression import decompress
from barnabas.types import Buffer

_WIDTH = layout.WIDTH
_SPECIAL = CODEC_MASK | CONTROL | TRANSACTIONAL
DECOMPRESSED_BYTES_MAX = 1 << 27
"""The most that one batch may decompress to, if that is unusual for its size, so that none can take all
memory. It is more than producers may send, because directories of Kafka may contain such batches.
"""


class WholeBatches(NamedTuple):
    """`table` is int64[rows * WIDTH] (kernels.layout) of the batches in `data`."""

    data: Buffer
    table: "array[int]"
    seen: int
    """Attribute bits that any batch has."""
    records: int
    """The number of records, from the headers."""

    @property
    def rows(self) -> int:
        """How many batches."""
        return len(self.table) // _WIDTH

    @property
    def size(self) -> int:
        """Bytes of all of them; behind is the beginning of one that is not whole."""
        last = len(self.table) - _WIDTH
        return self.table[last + layout.POSITION] + self.table[last + layout.SIZE] if self else 0

    def __bool__(self) -> bool:
        return len(self.table) > 0

    def last_offset(self, row: int) -> int:
        """The last offset of a batch, also where its record is gone."""
        at = row * _WIDTH
        return self.table[at + layout.BASE_OFFSET] + self.table[at + layout.LAST_DELTA]

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Rows in order: [first, end) of plain batches, each other one alone with its attributes.

        Plain ones are neither compressed nor of a transaction.
        """
        if not self.seen & _SPECIAL:
            if self:
                yield 0, self.rows, 0
            return
        start = 0
        for row, attributes in enumerate(self.table[layout.ATTRIBUTES :: _WIDTH]):
            if attributes & _SPECIAL:
                if start < row:
                    yield start, row, 0
                yield row, row + 1, attributes
                start = row + 1
        if start < self.rows:
            yield start, self.rows, 0

    def decompressed(self, row: int) -> Buffer:
        """The records of a compressed batch; its row then has their positions there.

        Raises:
            CorruptRecord: they cannot be decompressed, or only to more than is allowed.
        """
        at = row * _WIDTH
        table = self.table
        packed = memoryview(self.data)[table[at + layout.START] : table[at + layout.END]]
        codec = table[at + layout.ATTRIBUTES] & CODEC_MASK
        try:
            limit = max(DECOMPRESSED_BYTES_MAX, unpacked_bytes_max(len(packed)))
            records = decompress(codec, packed, limit)
        except CorruptRecord as error:
            raise CorruptRecord(f"{self.name(row)}: {error}") from error
        if table[at + layout.COUNT] > len(records) // 7:
            raise CorruptRecord(f"{self.name(row)}: {layout.WORDS[layout.BAD_COUNT]}")
        table[at + layout.START] = 0
        table[at + layout.END] = len(records)
        return records

    def name(self, row: int) -> str:
        """The name of a batch in an error message."""
        return f"batch at offset {self.table[row * _WIDTH + layout.BASE_OFFSET]}"


def whole_batches(data: Buffer, *, check_crcs: bool = True) -> WholeBatches:
    """The whole batches at the start of a buffer; maybe none.

    Raises:
        CorruptRecord: something else than a batch of magic 2 is among them, or a CRC is wrong.
    """
    rows = batch_rows.count(data)
    if rows < 0:
        raise CorruptRecord(layout.WORDS[rows])
    table = array("q", bytes(8 * _WIDTH * rows))
    state = array("q", bytes(8 * layout.STATE))
    seen = batch_rows.walk(data, table, state)
    if seen < 0:
        raise CorruptRecord(layout.WORDS[seen])
    found = WholeBatches(data, table, seen, state[layout.RECORDS])
    if check_crcs and rows:
        wrong = first_wrong(memoryview(data)[: found.size], table, CRC_FROM)
        if wrong is not None:
            raise CorruptRecord(f"{found.name(wrong)}: its CRC is wrong")
    return found
