"""RecordColumns as Arrow arrays, in the columns of Spark's Kafka source. Copies no payload.

pyarrow is imported on first use.
"""

from array import array
from typing import TYPE_CHECKING, Any

from barnabas.errors import CorruptRecord
from barnabas.kernels import gathering
from barnabas.records.columns import BytesColumn, HeadersColumn, RecordColumns

if TYPE_CHECKING:
    import pyarrow as pa


def to_arrow(columns: RecordColumns) -> dict[str, "pa.Array[Any]"]:
    """The columns that were decoded, by name.

    key and value: binary; offset: int64; timestamp: timestamp[us, UTC]; timestampType: int32, 0 for
    CreateTime and 1 for LogAppendTime (together with timestamp); headers: list<struct<key: string,
    value: binary>>, empty for a record without headers. Arrow keeps the buffers alive.

    Raises:
        CorruptRecord: the key of a header is not UTF-8.
    """
    import pyarrow as pa

    count = columns.count
    arrays: dict[str, pa.Array[Any]] = {}
    if columns.key is not None:
        arrays["key"] = _binary(columns.key, count)
    if columns.value is not None:
        arrays["value"] = _binary(columns.value, count)
    if columns.offsets is not None:
        buffers = [None, pa.py_buffer(columns.offsets)]
        arrays["offset"] = pa.Array.from_buffers(pa.int64(), count, buffers, 0)
    if columns.timestamps is not None:
        # Arrow's own cast takes 25 us before it begins
        in_us = pa.allocate_buffer(8 * count)
        if count:
            gathering.microseconds(columns.timestamps, memoryview(in_us).cast("B").cast("q"))
        kind = pa.timestamp("us", "UTC")
        arrays["timestamp"] = pa.Array.from_buffers(kind, count, [None, in_us], 0)
        arrays["timestampType"] = _types(columns)
    if columns.headers is not None:
        arrays["headers"] = _headers(columns.headers, count)
    return arrays


def _binary(column: BytesColumn, count: int) -> "pa.Array[Any]":
    import pyarrow as pa

    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.ends), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(pa.binary(), count, buffers, column.nulls)


def _types(columns: RecordColumns) -> "pa.Array[Any]":
    import pyarrow as pa

    kinds = array("i")
    for count, kind in columns.timestamp_types:
        kinds += array("i", (kind,)) * count
    return pa.Array.from_buffers(pa.int32(), columns.count, [None, pa.py_buffer(kinds)], 0)


def _headers(column: HeadersColumn, count: int) -> "pa.Array[Any]":
    import pyarrow as pa

    total = column.ends[count] if count else 0
    try:
        keys = _binary(column.keys, total).cast(pa.string())
    except pa.ArrowInvalid as error:
        raise CorruptRecord(f"the key of a header is not UTF-8: {error}") from error
    kind = pa.struct([("key", pa.string()), ("value", pa.binary())])
    pairs = pa.StructArray.from_arrays([keys, _binary(column.values, total)], fields=list(kind))
    ends = pa.py_buffer(column.ends)
    return pa.Array.from_buffers(pa.list_(kind), count, [None, ends], 0, children=[pairs])
