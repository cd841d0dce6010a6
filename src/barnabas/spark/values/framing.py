"""The schema registry's header of a value: a zero and the id of its schema.

With Protocol Buffers, the path to the message within its file follows the id: see
`runtime.registries.message_indexes`.

Source: Confluent's wire format.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

HEADER: Final = 5
"""Bytes: 0, then the id, big-endian."""

NULL: Final = -1
"""In place of an id: the value is null."""

UNFRAMED: Final = -2
"""In place of an id: the value has no such header."""

NO_HEADER: Final = "the value does not begin with 0 and the id of a schema"


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
