"""Check that a batch starts where an index says: an index is a hint, and may be damaged.

The check reads only the batch's header. That is enough for a reader: offsets increase in a segment,
so no batch before one that starts at or before the entry's offset contains that offset.
"""

import struct

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.ports import File
from barnabas.records.batches.batch import PREFIX_SIZE, crc_is_right, read_entry
from barnabas.types import Buffer

_HEAD = struct.Struct(">qi4xb")
"""Of a batch or a message: base offset, length, magic."""
_BATCH = struct.Struct(">21xhi")
"""Of a batch: attributes, last offset delta."""
_ATTRIBUTES_MOST = 0x7F
"""All attributes that there are."""
_ANY = -(2**63)

Claim = tuple[int, int]
"""Between which offsets the first of a batch must be: the segment's base and the entry's own."""


def check_entry(file: File, position: int, end: int, head: Buffer, claim: Claim) -> None:
    """Check that a whole batch starts at `position`; `head` are the bytes from there on.

    Raises:
        DecodeError: there is none before `end`, or its first offset is not within `claim`.
    """
    base, length, magic = _HEAD.unpack_from(head)
    size = length + PREFIX_SIZE
    sound = size <= end - position
    if sound and magic == 2:
        attributes, delta = _BATCH.unpack_from(head)
        sound = 0 <= attributes <= _ATTRIBUTES_MOST and delta >= 0
    elif sound:
        # Its header has too few bits that are always the same: some payload may look like one.
        data = file.read(position, size)
        sound = crc_is_right(data, read_entry(data))
        if base > claim[1] and sound:
            base = _first_inside(data, base)
    if not sound or not claim[0] <= base <= claim[1]:
        what = f"a whole batch that begins between offsets {claim[0]} and {claim[1]}"
        raise DecodeError("segment", position, what)


def _first_inside(message: bytes, offset: int) -> int:
    """The first offset in a compressed message, which itself has that of the last one in it.

    Until Kafka 1.1 index entries had the first.
    """
    # Imported late: a broker starts faster without it, and few segments are that old.
    from barnabas.records.batches.unpacking import unpacked_bytes_max
    from barnabas.records.columns.columns import ColumnSelection, decode_columns

    try:
        limit = unpacked_bytes_max(len(message))
        columns = decode_columns([message], wanted=ColumnSelection.OFFSET, start=_ANY, limit=limit)
    except CorruptRecord:
        return offset
    assert columns.offsets is not None
    return columns.offsets[0] if columns.count else offset
