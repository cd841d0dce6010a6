"""A segment that never grows again, read in pieces of whole batches."""

from collections.abc import Iterator

from barnabas.errors import CorruptRecord
from barnabas.ports import File
from barnabas.records.batch import HEADER_SIZE, PREFIX_SIZE
from barnabas.records.whole_batches import WholeBatches, whole_batches

_PIECE = 1 << 20
_LENGTH_AT = 8


def read_pieces(
    file: File, position: int, end: int, *, check_crcs: bool = True
) -> Iterator[WholeBatches]:
    """Yield all batches from `position` to `end`, some at a time, each valid until the next.

    Raises:
        CorruptRecord: there is something else than batches of magic 2 with right CRCs.
    """
    buffer = bytearray(min(_PIECE, max(end - position, HEADER_SIZE)))
    while position < end:
        view = memoryview(buffer)
        filled = file.read_into(position, view[: min(len(buffer), end - position)])
        found = whole_batches(view[:filled], check_crcs=check_crcs)
        if found:
            yield found
            position += found.size
            continue
        length = int.from_bytes(view[_LENGTH_AT:PREFIX_SIZE], "big", signed=True) + PREFIX_SIZE
        if filled < HEADER_SIZE or not filled < length <= end - position:
            raise CorruptRecord(f"no whole batch at position {position}")
        buffer = bytearray(length)
