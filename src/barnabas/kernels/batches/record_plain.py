"""`record` in plain Python, used if nothing is compiled: same class, same results, same errors.

It is about thirty times slower, and checks as much. Source: KIP-98.
"""

from array import array
from typing import final

from barnabas.kernels import layout
from barnabas.kernels.buffers.varints import varint, varlong, wrapped
from barnabas.types import Buffer

_WIDTH = layout.WIDTH


@final
class Record:
    """One record as it was stored. Holds no buffer but its own, and cannot be changed.

    `timestamp` is in milliseconds since the epoch; `timestamp_type` is 0 for CreateTime, 1 for
    LogAppendTime and -1 for none, as of a record of Kafka 0.9 and before. `key` and `value` are None
    where they are null; `headers` are (name, value).
    """

    __slots__ = (
        "headers", "key", "offset", "partition", "timestamp", "timestamp_type", "topic", "value",
    )  # fmt: skip

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be changed")

    def __init__(
        self,
        topic: str,
        partition: int,
        offset: int,
        timestamp: int = -1,
        timestamp_type: int = 0,
        key: bytes | None = None,
        value: bytes | None = None,
        headers: tuple[tuple[str, bytes | None], ...] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "topic", topic)
        put(self, "partition", partition)
        put(self, "offset", offset)
        put(self, "timestamp", timestamp)
        put(self, "timestamp_type", timestamp_type)
        put(self, "key", key)
        put(self, "value", value)
        put(self, "headers", headers)

    def _fields(self) -> tuple[object, ...]:
        return (
            self.topic,
            self.partition,
            self.offset,
            self.timestamp,
            self.timestamp_type,
            self.key,
            self.value,
            self.headers,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return Record, self._fields()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((self.topic, self.partition, self.offset))

    def __repr__(self) -> str:
        return (
            f"Record({self.topic}-{self.partition} at {self.offset}, timestamp={self.timestamp}, "
            f"key={self.key!r}, value={self.value!r}, headers={self.headers!r})"
        )


class _Bad(Exception):
    """A batch is damaged; the argument is the error code."""


class _Reader:
    """A position in a buffer; `end` bounds the record that is read, or its batch."""

    __slots__ = ("data", "end", "position")

    def __init__(self, data: Buffer, position: int, end: int) -> None:
        self.data = data
        self.position = position
        self.end = end

    def varint(self, code: int = layout.BAD_VARINT) -> int:
        bad, self.position, value = varint(self.data, self.position, self.end)
        if bad:
            raise _Bad(code)
        return value

    def varlong(self) -> int:
        bad, self.position, value = varlong(self.data, self.position, self.end)
        if bad:
            raise _Bad(layout.BAD_VARINT)
        return value

    def chunk(self, code: int) -> bytes | None:
        length = self.varint()
        if length < 0:
            return None
        start = self.position
        if length > self.end - start:
            raise _Bad(code)
        self.position = start + length
        return bytes(self.data[start : start + length])

    def headers(self) -> tuple[tuple[str, bytes | None], ...]:
        count = self.varint()
        if count < 0 or count > self.end - self.position:
            raise _Bad(layout.BAD_HEADER_COUNT)
        found = []
        for _ in range(count):
            name = self.chunk(layout.BAD_HEADER_LENGTH)
            if name is None:
                raise _Bad(layout.BAD_HEADER_LENGTH)
            found.append((name.decode(errors="replace"), self.chunk(layout.BAD_HEADER_LENGTH)))
        return tuple(found)


def decode(
    data: Buffer,
    table: "array[int]",
    first_row: int,
    end_row: int,
    lowest: int,
    beyond: int,
    limit: int,
    topic: str,
    partition: int,
    found: list[Record],
    state: "array[int]",
) -> int:
    """Append the records of some batches of a table to `found`, until it has `limit` of them.

    Arguments and result as those of `batches.scan`. Records after the limit are not read.
    """
    if first_row < 0 or end_row > len(table) // _WIDTH:
        return layout.NO_ROOM
    for row in range(first_row, end_row):
        batch = table[row * _WIDTH : row * _WIDTH + _WIDTH]
        base = batch[layout.BASE_OFFSET]
        if base >= beyond or wrapped(base + batch[layout.LAST_DELTA]) < lowest:
            continue
        if batch[layout.START] < 0 or batch[layout.END] > len(data):
            return layout.NO_ROOM
        if len(found) >= limit:
            break
        state[layout.AT_ROW] = row
        try:
            _decode_batch(data, batch, (lowest, beyond, limit), (topic, partition), found, state)
        except _Bad as bad:
            return int(bad.args[0])
    return 0


def _decode_batch(
    data: Buffer,
    batch: "array[int]",
    bounds: tuple[int, int, int],
    place: tuple[str, int],
    found: list[Record],
    state: "array[int]",
) -> None:
    lowest, beyond, limit = bounds
    reader = _Reader(data, batch[layout.START], batch[layout.END])
    append_time = batch[layout.ATTRIBUTES] & 8
    for index in range(batch[layout.COUNT]):
        state[layout.AT_RECORD] = index
        length = reader.varint(code=layout.TOO_FEW_RECORDS)
        if length < 1 or length > batch[layout.END] - reader.position:
            raise _Bad(layout.BAD_RECORD_LENGTH)
        reader.end = reader.position + length
        reader.position += 1
        timestamp = wrapped(batch[layout.BASE_TIMESTAMP] + reader.varlong())
        offset = wrapped(batch[layout.BASE_OFFSET] + reader.varint())
        key = reader.chunk(layout.BAD_KEY_LENGTH)
        value = reader.chunk(layout.BAD_VALUE_LENGTH)
        headers = reader.headers()
        if reader.position != reader.end:
            raise _Bad(layout.RECORD_HAS_MORE)
        reader.end = batch[layout.END]
        if offset < lowest or offset >= beyond:
            continue
        if append_time:
            timestamp = batch[layout.MAX_TIMESTAMP]
        kind = 1 if append_time else 0
        found.append(Record(*place, offset, timestamp, kind, key, value, headers))
        if len(found) >= limit:
            return
    if reader.position != reader.end:
        raise _Bad(layout.BATCH_HAS_MORE)
