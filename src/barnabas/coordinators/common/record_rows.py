"""RecordRows: many records of a coordinator's log, loaded without an object for each."""

from typing import NamedTuple

from barnabas.records.columns.columns import BytesColumn, RecordColumns


class RecordRows(NamedTuple):
    """Keys and values concatenated as bytes, which kernels read without a view.

    Row i has the key keys[key_ends[i]:key_ends[i + 1]], and likewise a value if its bit is set
    (least significant first) or there are no bits.
    """

    keys: bytes
    key_ends: memoryview
    has_key: bytes | None
    values: bytes
    value_ends: memoryview
    has_value: bytes | None

    def key(self, row: int) -> bytes | None:
        """One key."""
        return _item(self.keys, self.key_ends, self.has_key, row)

    def value(self, row: int) -> bytes | None:
        """One value."""
        return _item(self.values, self.value_ends, self.has_value, row)


def rows_of(columns: RecordColumns) -> RecordRows:
    """Rows of columns in which keys and values were decoded."""
    key, value = columns.key, columns.value
    assert key is not None
    assert value is not None
    return RecordRows(*_parts(key), *_parts(value))


def _parts(column: BytesColumn) -> tuple[bytes, memoryview, bytes | None]:
    bits = None if column.validity is None else bytes(column.validity)
    return bytes(column.data), column.ends, bits


def _item(data: bytes, ends: memoryview, bits: bytes | None, row: int) -> bytes | None:
    if bits is not None and not bits[row >> 3] >> (row & 7) & 1:
        return None
    return data[ends[row] : ends[row + 1]]
