"""Decode Avro's binary encoding to Arrow, one field of all records at a time, without Python objects.

An array has the position of each record. A step reads one item of many records and advances their positions.
A record that does not match the schema is marked, and then skipped.

Source: the Avro 1.12 specification, "Binary Encoding".
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DecimalType, LongType, StructType

from barnabas.spark.values.avro_node import AvroNode
from barnabas.spark.values.decimals import decimals

Rows = npt.NDArray[np.int64]

_LONGEST: Final = 10
"""Bytes of the longest number."""

_MOST_MILLIS: Final = (2**63 - 1) // 1000
"""The largest distance from 1970 that 64 bits of microseconds can express."""

ITEMS_FREE: Final = 1024
"""How many items without bytes (nulls) a value may have beyond its length; with more it is bad.

Every other item of an array or map has at least one byte, so the number of items is bounded.
"""


class AvroValues:
    """Decodes one array of values.

    `bad`: the rows that do not match the schema. `fields`: for each of them, the field at which that was found;
    "" if it is outside of any.
    """

    def __init__(self, values: Any, header: int = 0) -> None:
        """`values`: a `pyarrow.BinaryArray`; `header`: the number of bytes before each record."""
        count = len(values)
        _, offsets, data = values.buffers()
        ends = np.frombuffer(offsets, np.int32)[values.offset : values.offset + count + 1]
        raw = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        self._data = np.concatenate([raw, np.zeros(16, np.uint8)])
        self._at = ends[:-1].astype(np.int64) + header
        self._end = ends[1:].astype(np.int64)
        self._items_left = self._end - self._at + ITEMS_FREE
        self.bad = np.zeros(count, np.bool_)
        self.fields: dict[int, str] = {}
        self._within: list[str] = []
        there = np.ones(count, np.bool_)
        if values.null_count:
            there = values.is_valid().to_numpy(zero_copy_only=False)
        self._given = np.flatnonzero(there)
        self._count = count

    def decode(self, schema: AvroNode) -> Any:
        """A `pyarrow.Array` with the values; null for missing and bad ones."""
        rows = self._good(self._given, self._at[self._given] <= self._end[self._given])
        rows = rows[~self.bad[rows]]
        decoded = self._node(schema, rows)
        self._mark(rows, self._at[rows] != self._end[rows])
        index = np.full(self._count, -1, np.int64)
        index[rows] = np.arange(len(rows))
        index[self.bad] = -1
        return _taken(decoded, index)

    def _node(self, node: AvroNode, rows: Rows) -> Any:
        """Read one item of each of `rows`; bad rows have a place in the result, too."""
        read: dict[str, Callable[[AvroNode, Rows], Any]] = {
            "record": self._record,
            "union": self._union,
            "choice": self._choice,
            "array": self._array,
            "map": self._map,
            "enum": self._enum,
            "decimal": self._decimal,
        }
        compound = read.get(node.kind)
        return self._scalar(node, rows) if compound is None else compound(node, rows)

    def _scalar(self, node: AvroNode, rows: Rows) -> Any:
        kind = node.kind
        if kind == "null":
            return pa.nulls(len(rows))
        if kind in ("string", "bytes"):
            found = self._binary(rows, self._longs(rows))
            return self._text(found, rows) if kind == "string" else found
        if kind == "fixed":
            return self._binary(rows, np.full(len(rows), node.size, np.int64))
        if kind == "boolean":
            return pa.array(self._fixed(rows, 1, np.uint8) != 0)
        if kind in ("float", "double"):
            size = 4 if kind == "float" else 8
            return pa.array(self._fixed(rows, size, np.dtype(f"<f{size}")))
        return self._number(kind, rows)

    def _text(self, found: Any, rows: Rows) -> Any:
        try:
            return found.cast(pa.utf8())
        except pa.ArrowInvalid:
            right = np.array([_is_text(each.as_py()) for each in found])
            self._mark(rows, ~right)
            return pc.if_else(pa.array(right), found, b"").cast(pa.utf8())

    def _number(self, kind: str, rows: Rows) -> Any:
        numbers = self._longs(rows)
        if kind in ("int", "date"):
            self._mark(rows, (numbers < -(2**31)) | (numbers >= 2**31))
            whole = pa.array(numbers.astype(np.int32))
            return whole.cast(pa.date32()) if kind == "date" else whole
        if kind == "long":
            return pa.array(numbers)
        if kind.endswith("timestamp-millis"):
            self._mark(rows, (numbers < -_MOST_MILLIS) | (numbers > _MOST_MILLIS))
            numbers[self.bad[rows]] = 0
            numbers *= 1000
        zone = None if kind.startswith("local") else "UTC"
        return pa.array(numbers).cast(pa.timestamp("us", tz=zone))

    def _decimal(self, node: AvroNode, rows: Rows) -> Any:
        sizes = np.full(len(rows), node.size, np.int64)
        if node.names == ("bytes",):
            sizes = self._longs(rows)
        begins = self._advanced(rows, sizes)
        sizes = np.where(self.bad[rows], 0, sizes)
        assert isinstance(node.type, DecimalType)
        array, fits = decimals(self._data, begins, sizes, node.type)
        self._mark(rows, ~fits)
        return array

    def _record(self, node: AvroNode, rows: Rows) -> Any:
        found = []
        for name, part in zip(node.names, node.parts, strict=True):
            self._within.append(name)
            found.append(self._node(part, rows))
            self._within.pop()
        return pa.StructArray.from_arrays(found, list(node.names))

    def _union(self, node: AvroNode, rows: Rows) -> Any:
        (decoded,) = self._branches(node, rows)
        return decoded

    def _choice(self, node: AvroNode, rows: Rows) -> Any:
        branches = self._branches(node, rows)
        if not isinstance(node.type, StructType):
            wide = pa.int64() if isinstance(node.type, LongType) else pa.float64()
            return pc.coalesce(*(each.cast(wide) for each in branches))
        missing = np.logical_and.reduce([_nulls(each) for each in branches])
        return pa.StructArray.from_arrays(branches, node.type.fieldNames(), mask=pa.array(missing))

    def _branches(self, node: AvroNode, rows: Rows) -> list[Any]:
        """The values of each branch except null; null in the rows of other branches."""
        branch = self._longs(rows)
        self._mark(rows, (branch < 0) | (branch >= len(node.parts) + (node.size >= 0)))
        found = []
        for at, part in enumerate(node.parts):
            number = at + (0 <= node.size <= at)
            chosen = np.flatnonzero((branch == number) & ~self.bad[rows])
            index = np.full(len(rows), -1, np.int64)
            index[chosen] = np.arange(len(chosen))
            found.append(_taken(self._node(part, rows[chosen]), index))
        return found

    def _enum(self, node: AvroNode, rows: Rows) -> Any:
        number = self._longs(rows)
        wrong = (number < 0) | (number >= len(node.names))
        self._mark(rows, wrong)
        return _taken(pa.array(node.names, pa.utf8()), np.where(wrong, -1, number))

    def _array(self, node: AvroNode, rows: Rows) -> Any:
        (item,) = node.parts
        offsets, (items,) = self._blocks(rows, lambda some: [self._node(item, some)])
        return pa.ListArray.from_arrays(offsets, items)

    def _map(self, node: AvroNode, rows: Rows) -> Any:
        key, value = AvroNode("string", node.type), node.parts[0]
        offsets, (keys, items) = self._blocks(
            rows, lambda some: [self._node(key, some), self._node(value, some)]
        )
        return pa.MapArray.from_arrays(offsets, keys, items)

    def _blocks(self, rows: Rows, read: Callable[[Rows], list[Any]]) -> tuple[Any, list[Any]]:
        """The items of an array or map: the first items of all records, then the second ones, and so on."""
        counts = np.zeros(len(rows), np.int64)
        left = np.zeros(len(rows), np.int64)
        opened = np.ones(len(rows), np.bool_)
        owners: list[Rows] = []
        found: list[list[Any]] = []
        while True:
            at_end = np.flatnonzero(opened & (left == 0) & ~self.bad[rows])
            if len(at_end):
                left[at_end] = self._block_sizes(rows[at_end])
                opened[at_end[left[at_end] == 0]] = False
            some = np.flatnonzero((left > 0) & ~self.bad[rows])
            if not len(some) and not np.any(opened & ~self.bad[rows]):
                break
            found.append(read(rows[some]))
            owners.append(some)
            counts[some] += 1
            left[some] -= 1
        columns = found or [read(rows[:0])]
        order = np.argsort(np.concatenate([*owners, rows[:0]]), kind="stable")
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        joined = [pa.concat_arrays(parts) for parts in zip(*columns, strict=True)]
        return offsets, [each.take(pa.array(order)) for each in joined]

    def _block_sizes(self, rows: Rows) -> Rows:
        """The number of items in the next block; 0 at the end."""
        sizes = self._longs(rows)
        negative = np.flatnonzero(sizes < 0)
        if len(negative):
            self._longs(rows[negative])  # The size of the block in bytes, for readers that skip it.
            sizes[negative] = -sizes[negative]
        self._mark(rows, (sizes < 0) | (sizes > self._items_left[rows]))
        sizes[self.bad[rows]] = 0
        self._items_left[rows] -= sizes
        return sizes

    def _longs(self, rows: Rows) -> Rows:
        """Read a number of variable length from each of `rows`; 0 for bad ones."""
        value = np.zeros(len(rows), np.uint64)
        going = np.flatnonzero(~self.bad[rows])
        for step in range(_LONGEST):
            where = rows[going]
            cut = self._at[where] >= self._end[where]
            if cut.any():
                self._fail(where[cut])
                going, where = going[~cut], where[~cut]
            byte = self._data[self._at[where]]
            self._at[where] += 1
            value[going] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * step)
            going = going[byte >= 0x80]
            if not len(going):
                break
        self._fail(rows[going])
        signs = -(value & np.uint64(1)).astype(np.int64)
        numbers = (value >> np.uint64(1)).astype(np.int64) ^ signs
        numbers[self.bad[rows]] = 0
        return numbers

    def _fixed(self, rows: Rows, size: int, kind: Any) -> npt.NDArray[Any]:
        """Read `size` bytes of each of `rows` as a number; 0 for bad ones."""
        begins = self._advanced(rows, np.full(len(rows), size, np.int64))
        gathered = self._data[begins[:, None] + np.arange(size)]
        found = np.ascontiguousarray(gathered).view(kind).reshape(len(rows))
        return np.where(self.bad[rows], np.zeros(1, kind), found)

    def _binary(self, rows: Rows, sizes: Rows) -> Any:
        """Read `sizes` bytes of `rows`; none for bad ones."""
        begins = self._advanced(rows, sizes)
        sizes = np.where(self.bad[rows], 0, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(begins - offsets[:-1], sizes) + np.arange(offsets[-1])
        buffers = [
            None,
            pa.py_buffer(offsets.astype(np.int32)),
            pa.py_buffer(self._data[places]),
        ]
        return pa.BinaryArray.from_buffers(pa.binary(), len(rows), buffers)

    def _advanced(self, rows: Rows, sizes: Rows) -> Rows:
        """Skip `sizes` bytes; return where they begin, 0 for bad ones."""
        begins = self._at[rows]
        self._mark(rows, (sizes < 0) | (sizes > self._end[rows] - begins))
        good = ~self.bad[rows]
        self._at[rows[good]] += sizes[good]
        return np.where(good, begins, 0)

    def _mark(self, rows: Rows, wrong: npt.NDArray[np.bool_]) -> None:
        self._fail(rows[wrong])

    def _fail(self, rows: Rows) -> None:
        self.bad[rows] = True
        for row in rows.tolist():
            self.fields.setdefault(row, ".".join(self._within))

    def _good(self, rows: Rows, right: npt.NDArray[np.bool_]) -> Rows:
        self._mark(rows, ~right)
        return rows[right]


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _nulls(array: Any) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return found


def _taken(array: Any, index: Rows) -> Any:
    """`array` in the order of `index`; null where that is negative."""
    missing = index < 0
    if not missing.any() and len(index) == len(array):
        same = np.array_equal(index, np.arange(len(index)))
        return array if same else array.take(pa.array(index))
    return array.take(pa.array(index, mask=missing))
