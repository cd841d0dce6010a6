"""RecordColumns as Arrow arrays, in the columns of Spark's Kafka source. Copies no payload.

pyarrow is imported on first use.
"""

from array import array
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.kernels.columns import gathering
from barnabas.records.columns.columns import BytesColumn, HeadersColumn, RecordColumns
from barnabas.types import Buffer

if TYPE_CHECKING:
    import pyarrow as pa


def to_arrow(columns: RecordColumns) -> dict[str, "pa.Array[Any]"]:
    """The columns that were decoded, by name.

    key and value: binary; offset: int64; timestamp: timestamp[us, UTC]; timestampType: int32, 0 for
    CreateTime, 1 for LogAppendTime and -1 for no timestamp (together with timestamp); headers:
    list<struct<key: string, value: binary>>, empty for a record without headers. In keys, what is not
    UTF-8 is replaced, as Java does. Arrow keeps the buffers alive.
    """
    import pyarrow as pa

    types = _types()
    count = columns.count
    arrays: dict[str, pa.Array[Any]] = {}
    if columns.key is not None:
        arrays["key"] = _strings(types.binary, columns.key, count)
    if columns.value is not None:
        arrays["value"] = _strings(types.binary, columns.value, count)
    if columns.offsets is not None:
        arrays["offset"] = _fixed(types.int64, count, pa.py_buffer(columns.offsets))
    if columns.timestamps is not None:
        # Arrow's own cast takes 25 us before it begins
        in_us = pa.allocate_buffer(8 * count)
        target = memoryview(in_us).cast("B").cast("q") if count else None
        fits = target is None or gathering.microseconds(columns.timestamps, target)
        times = _fixed(types.timestamp, count, in_us)
        arrays["timestamp"] = times if fits else _without_far(times, columns.timestamps)
        arrays["timestampType"] = _fixed(types.int32, count, _kinds(columns))
    if columns.headers is not None:
        arrays["headers"] = _headers(types, columns.headers, count)
    return arrays


def text_scalar(text: str) -> "pa.Scalar[Any]":
    """A string, as `pyarrow.scalar` makes one. That would import pandas, where it is installed."""
    import pyarrow as pa

    data = text.encode()
    ends = array("i", (0, len(data)))
    return pa.Array.from_buffers(
        _types().string, 1, [None, pa.py_buffer(ends), pa.py_buffer(data)]
    )[0]


def int_scalar(number: int) -> "pa.Scalar[Any]":
    """An int32, as `text_scalar` makes a string."""
    import pyarrow as pa

    return _fixed(_types().int32, 1, pa.py_buffer(array("i", (number,))))[0]


class _Types(NamedTuple):
    """Making a type takes a microsecond."""

    binary: "pa.DataType"
    string: "pa.DataType"
    int32: "pa.DataType"
    int64: "pa.DataType"
    timestamp: "pa.DataType"
    header: "pa.DataType"
    headers: "pa.DataType"


@cache
def _types() -> _Types:
    import pyarrow as pa

    header = pa.struct([("key", pa.string()), ("value", pa.binary())])
    timestamp = pa.timestamp("us", "UTC")
    return _Types(
        pa.binary(), pa.string(), pa.int32(), pa.int64(), timestamp, header, pa.list_(header)
    )


def _fixed(kind: "pa.DataType", count: int, data: "pa.Buffer") -> "pa.Array[Any]":
    import pyarrow as pa

    return pa.Array.from_buffers(kind, count, [None, data], 0)


def _strings(kind: "pa.DataType", column: BytesColumn, count: int) -> "pa.Array[Any]":
    import pyarrow as pa

    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.ends), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, count, buffers, column.nulls)


def _without_far(times: "pa.Array[Any]", milliseconds: Buffer) -> "pa.Array[Any]":
    """Null for each time that microseconds cannot hold: better than a plausible wrong one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = pa.Array.from_buffers(pa.int64(), len(times), [None, pa.py_buffer(milliseconds)])
    most = (2**63 - 1) // 1000
    fits = pc.and_(pc.less_equal(given, most), pc.greater_equal(given, -most))
    return pc.if_else(fits, times, pa.scalar(None, times.type))


def _kinds(columns: RecordColumns) -> "pa.Buffer":
    """The type of each timestamp, as int32."""
    import pyarrow as pa

    kinds = array("i")
    for count, kind in columns.timestamp_types:
        kinds += array("i", (kind,)) * count
    return pa.py_buffer(kinds)


def _headers(types: _Types, column: HeadersColumn, count: int) -> "pa.Array[Any]":
    import pyarrow as pa

    total = column.ends[count]
    if gathering.is_ascii(column.keys.data):
        keys = _strings(types.string, column.keys, total)
    else:
        keys = _strings(types.binary, column.keys, total)
        try:
            keys = keys.cast(types.string)
        except pa.ArrowInvalid:
            texts = [key.decode(errors="replace") for key in keys.to_pylist()]
            keys = pa.array(texts, types.string)
    values = _strings(types.binary, column.values, total)
    pairs = pa.Array.from_buffers(types.header, total, [None], 0, children=[keys, values])
    buffers = [None, pa.py_buffer(column.ends)]
    return pa.Array.from_buffers(types.headers, count, buffers, 0, children=[pairs])
