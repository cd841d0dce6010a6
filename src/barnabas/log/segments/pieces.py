"""Read a closed segment in pieces of whole batches."""

from collections.abc import Iterator

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.batches import batch_rows
from barnabas.ports import File
from barnabas.records.batches.batch import (
    HEADER_SIZE,
    MAGIC_AT,
    PREFIX_SIZE,
    SMALLEST_ENTRY,
    end_of_batches,
)
from barnabas.records.compaction.whole_batches import WholeBatches, whole_batches
from barnabas.records.compaction.whole_messages import WholeMessages
from barnabas.records.message_rows import end_of_messages

_PIECE = 1 << 20
_LENGTH_AT = 8


def read_pieces(
    file: File, position: int, end: int, *, check_crcs: bool = True
) -> Iterator[WholeBatches | WholeMessages]:
    """Yield everything from `position` to `end` in pieces, each valid until the next.

    The caller verifies the CRCs of messages.

    Raises:
        CorruptRecord: there is something else than messages, or than batches with correct CRCs.
    """
    buffer = bytearray(min(_PIECE, max(end - position, HEADER_SIZE)))
    while position < end:
        view = memoryview(buffer)
        filled = file.read_into(position, view[: min(len(buffer), end - position)])
        found = _whole(view[:filled], check_crcs=check_crcs)
        if found.size:
            yield found
            position += found.size
            continue
        length = int.from_bytes(view[_LENGTH_AT:PREFIX_SIZE], "big", signed=True) + PREFIX_SIZE
        if filled < SMALLEST_ENTRY or not filled < length <= end - position:
            raise CorruptRecord(f"no whole batch at position {position}")
        buffer = bytearray(length)


def _whole(data: memoryview, *, check_crcs: bool) -> WholeBatches | WholeMessages:
    """The whole batches or messages at the start of a buffer."""
    if len(data) > MAGIC_AT and data[MAGIC_AT] < 2:
        end, _ = end_of_messages(data, 0)
        return WholeMessages(data[:end])
    if batch_rows.count(data) == layout.BAD_MAGIC:
        data = data[: end_of_batches(data, 0)]
    return whole_batches(data, check_crcs=check_crcs)
