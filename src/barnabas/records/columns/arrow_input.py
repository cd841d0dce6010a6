"""Arrow arrays as the columns that kernels read; only non-binary data is copied.

pyarrow is imported on first use.
"""

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.kernels.batches.batch_writing import Rows, Strings

if TYPE_CHECKING:
    import pyarrow as pa

_NO_INTS = memoryview(array("i"))


class BinaryColumn(NamedTuple):
    """The buffers of a binary array, from its first row on; `bits` is empty where none is null."""

    ends: memoryview
    data: memoryview
    bits: memoryview
    bit_offset: int

    def strings(self) -> Strings:
        """The same for a kernel."""
        return Strings(*self)


NULLS = BinaryColumn(_NO_INTS, memoryview(b""), memoryview(b""), 0)
"""A column that is null in every row."""


def binary_column(values: "pa.Array[Any] | None") -> BinaryColumn:
    """The buffers of an array of bytes or text of any kind.

    Raises:
        pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError: it is of another type, or one array
            has 2 GiB or more.
    """
    import pyarrow as pa

    if values is None or not len(values) or pa.types.is_null(values.type):
        return NULLS
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if not pa.types.is_binary(values.type):
        values = values.cast(pa.binary())
    bits, ends, data = values.buffers()
    first = values.offset
    assert ends is not None, "an array with rows has offsets"
    return BinaryColumn(
        memoryview(ends).cast("B").cast("i")[first : first + len(values) + 1],
        memoryview(b"") if data is None else memoryview(data).cast("B"),
        memoryview(b"") if bits is None or not values.null_count else memoryview(bits).cast("B"),
        first,
    )


def timestamps_ms(values: "pa.Array[Any] | None", count: int, now_ms: int) -> memoryview:
    """Milliseconds since the epoch as int64[count]; `now_ms` for a row without a timestamp.

    Takes timestamps of any unit, dates, and integers, which are milliseconds already.
    """
    import pyarrow as pa

    if values is None or pa.types.is_null(values.type):
        return memoryview(array("q", (now_ms,)) * count)
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        zone = getattr(values.type, "tz", None)
        values = values.cast(pa.timestamp("ms", zone), safe=False)
    numbers: pa.Array[Any] = values.cast(pa.int64())
    if numbers.null_count:
        numbers = numbers.fill_null(now_ms)
    data = numbers.buffers()[1]
    if not count or data is None:
        return memoryview(array("q"))
    return memoryview(data).cast("B").cast("q")[numbers.offset : numbers.offset + count]


def chosen_partitions(values: "pa.Array[Any]", unset: int) -> "array[int]":
    """Numbers of partitions as int32; `unset` for a row without one.

    Raises:
        pyarrow.ArrowInvalid: they are not integers, or larger than partitions can be.
    """
    import pyarrow as pa

    numbers = values.cast(pa.int32()).fill_null(unset)
    found = array("i")
    data = numbers.buffers()[1]
    if data is not None:
        found.frombytes(memoryview(data).cast("B")[4 * numbers.offset :][: 4 * len(numbers)])
    return found


def rows_of(
    timestamps: memoryview,
    key: BinaryColumn,
    value: BinaryColumn,
    headers: "pa.Array[Any] | None",
) -> Rows:
    """The columns of records for a kernel.

    `headers` are lists of structs of (key: string, value: binary) or maps from string to binary. A
    null list is no headers.
    """
    ends, names, contents = _NO_INTS, NULLS, NULLS
    if headers is not None and len(headers) and headers.type != _null_type():
        ends, names, contents = _header_columns(headers)
    return Rows(
        timestamps, key.strings(), value.strings(), ends, names.strings(), contents.strings()
    )


def _null_type() -> "pa.DataType":
    import pyarrow as pa

    return pa.null()


def _header_columns(headers: Any) -> tuple[memoryview, BinaryColumn, BinaryColumn]:
    import pyarrow as pa

    if isinstance(headers, pa.MapArray):
        kind = pa.list_(headers.values.type)
        parts = headers.buffers()[:2], headers.null_count, headers.offset, [headers.values]
        headers = pa.Array.from_buffers(kind, len(headers), *parts)
    ends, pairs = headers.offsets.cast(pa.int32()), headers.values
    if headers.null_count:
        # the range of a null list may hold anything
        import pyarrow.compute as pc

        none = pa.scalar(0, pa.int32())
        lengths = pc.if_else(headers.is_valid(), pc.subtract(ends[1:], ends[:-1]), none)
        ends = pc.cumulative_sum(pa.concat_arrays([pa.array([0], pa.int32()), lengths]))
        pairs = headers.flatten()
    names, contents = (_field(pairs, at) for at in (0, 1))
    if names.null_count:
        raise pa.ArrowInvalid("the key of a header is null")
    view = memoryview(ends.buffers()[1]).cast("B").cast("i")[ends.offset : ends.offset + len(ends)]
    return view, _whole(names), _whole(contents)


def _field(structs: Any, at: int) -> Any:
    """A field of structs; null where the struct is."""
    return structs.field(at) if not structs.null_count else structs.flatten()[at]


def _whole(values: Any) -> BinaryColumn:
    import pyarrow as pa

    if len(values) and pa.types.is_null(values.type):
        values = values.cast(pa.binary())
    return binary_column(values)
