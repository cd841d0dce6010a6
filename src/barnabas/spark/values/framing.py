"""What clients of a schema registry put before a value: a zero, and the id of its schema.

Protocol Buffers have the way to the message within its file behind the id.

Source: Confluent's wire format.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

HEADER: Final = 5
"""Bytes: 0, then the id, highest byte first."""

NULL: Final = -1
"""In place of an id: there is no value."""

UNFRAMED: Final = -2
"""In place of an id: the value does not begin so."""

NO_HEADER: Final = "the value does not begin with 0 and the id of a schema"

_MOST_INDEXES: Final = 64
"""Messages within messages."""


def schema_ids(values: Any) -> npt.NDArray[np.int64]:
    """The id before each value of a `pyarrow.BinaryArray`, or NULL or UNFRAMED."""
    count = len(values)
    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, np.int32)[values.offset : values.offset + count + 1]
    begins, sizes = ends[:-1].astype(np.int64), np.diff(ends)
    raw = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    raw = np.concatenate([raw, np.zeros(HEADER, np.uint8)])
    heads = raw[begins[:, None] + np.arange(HEADER)]
    ids = np.ascontiguousarray(heads[:, 1:]).view(">u4").reshape(count).astype(np.int64)
    ids[(sizes < HEADER) | (heads[:, 0] != 0)] = UNFRAMED
    if values.null_count:
        ids[values.is_null().to_numpy(zero_copy_only=False)] = NULL
    return ids


def message_indexes(raw: bytes, at: int) -> tuple[tuple[int, ...], int]:
    """The way to a message, and where it ends: the first message of the file is (0,).

    Each number is the place of a message in the file, then within the message before.

    Raises:
        ValueError: the bytes are not such a way.
    """
    if raw[at : at + 1] == b"\0":
        return (0,), at + 1
    count, at = _number(raw, at)
    if not 0 < count <= _MOST_INDEXES:
        raise ValueError(f"{count} message indexes, 1 to {_MOST_INDEXES} are possible")
    found = []
    for _ in range(count):
        index, at = _number(raw, at)
        found.append(index)
    return tuple(found), at


def _number(raw: bytes, at: int) -> tuple[int, int]:
    """A number of variable length with its sign in the lowest bit."""
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(raw):
            raise ValueError("the value ends within its message indexes")
        value |= (raw[at] & 0x7F) << shift
        at += 1
        if raw[at - 1] < 0x80:
            return (value >> 1) ^ -(value & 1), at
    raise ValueError("a message index is longer than 5 bytes")
