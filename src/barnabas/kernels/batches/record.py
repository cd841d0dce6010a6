# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Record with C fields, and fetched batches decoded into a list of them.

Only compiled; `record_plain` is the same in plain Python. Making a Record of 100 bytes takes 35 to 60
ns (aiokafka 74, kafka-python 2529). Every length is compared with what remains before it is used.
Source: KIP-98.
"""

import cython
from cython.cimports.barnabas.kernels import layout
from cython.cimports.barnabas.kernels.batches.record_parts import header_count, parts
from cython.cimports.barnabas.kernels.buffers.collector import PyObject_GC_UnTrack
from cython.cimports.barnabas.kernels.buffers.varints import varint
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from cython.cimports.libc.string import memcmp

_NO_HEADERS = cython.declare(tuple, ())


@cython.final
@cython.no_gc
@cython.freelist(4096)
@cython.cclass
class Record:
    """One record as it was stored. Holds no buffer but its own, and cannot be changed.

    `timestamp` is in milliseconds since the epoch; `timestamp_type` is 0 for CreateTime, 1 for
    LogAppendTime and -1 for none, as of a record of Kafka 0.9 and before. `key` and `value` are None
    where they are null; `headers` are (name, value).
    """

    topic = cython.declare(str, visibility="readonly")
    partition = cython.declare(cython.int, visibility="readonly")
    offset = cython.declare(cython.longlong, visibility="readonly")
    timestamp = cython.declare(cython.longlong, visibility="readonly")
    timestamp_type = cython.declare(cython.int, visibility="readonly")
    key = cython.declare(bytes, visibility="readonly")
    value = cython.declare(bytes, visibility="readonly")
    headers = cython.declare(tuple, visibility="readonly")

    def __init__(
        self,
        topic: str,
        partition: cython.int,
        offset: cython.longlong,
        timestamp: cython.longlong = -1,
        timestamp_type: cython.int = 0,
        key: bytes | None = None,
        value: bytes | None = None,
        headers: tuple = (),
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestamp = timestamp
        self.timestamp_type = timestamp_type
        self.key = key
        self.value = value
        self.headers = headers

    def _fields(self):
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

    def __reduce__(self):
        return Record, self._fields()

    def __eq__(self, other):
        return isinstance(other, Record) and self._fields() == other._fields()

    def __hash__(self):
        return hash((self.topic, self.partition, self.offset))

    def __repr__(self):
        return (
            f"Record({self.topic}-{self.partition} at {self.offset}, timestamp={self.timestamp}, "
            f"key={self.key!r}, value={self.value!r}, headers={self.headers!r})"
        )


@cython.cfunc
def _headers(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.int,
    found: list,
    last: tuple,
) -> cython.Py_ssize_t:
    """Read `count` headers into `found`; the position behind them, or a negative code.

    `last` are the headers of a record before: their names are mostly these, and taken again.
    """
    bad: cython.bint
    length: cython.int
    size: cython.Py_ssize_t
    index: cython.int
    content: bytes
    pair: tuple
    name: str
    for index in range(count):
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length < 0 or length > end - position:
            return layout.BAD_HEADER_LENGTH
        name = None
        if index < len(last):
            pair = last[index]
            name = pair[0]
            characters: cython.p_const_char = PyUnicode_AsUTF8AndSize(name, cython.address(size))
            if size != length or memcmp(characters, cython.address(data[position]), size) != 0:
                name = None
        if name is None:
            name = PyUnicode_DecodeUTF8(
                cython.cast(cython.p_char, cython.address(data[position])), length, b"replace"
            )
        position += length
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length > end - position:
            return layout.BAD_HEADER_LENGTH
        content = None
        if length >= 0:
            content = _bytes(data, position, length)
            position += length
        pair = (name, content)
        # Text and bytes refer to nothing, so the collector would look at the pair in vain.
        PyObject_GC_UnTrack(cython.cast(cython.p_void, pair))
        found.append(pair)
    return position


@cython.cfunc
@cython.inline
def _bytes(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, length: cython.int
) -> bytes:
    return PyBytes_FromStringAndSize(
        cython.cast(cython.p_char, cython.address(data[position])), length
    )


def decode(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end_row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    limit: cython.Py_ssize_t,
    topic: str,
    partition: cython.int,
    found: list,
    state: cython.longlong[::1],
) -> cython.int:
    """Append the records of some batches of a table to `found`, until it has `limit` of them.

    Arguments and result as those of `batches.scan`. Nothing behind the limit is looked at.
    """
    row: cython.Py_ssize_t
    result: cython.int
    base: cython.longlong
    if first_row < 0 or end_row > len(table) // layout.WIDTH:
        return layout.NO_ROOM
    for row in range(first_row, end_row):
        base = table[row * layout.WIDTH + layout.BASE_OFFSET]
        if base >= beyond or base + table[row * layout.WIDTH + layout.LAST_DELTA] < lowest:
            continue
        if table[row * layout.WIDTH + layout.START] < 0 or table[
            row * layout.WIDTH + layout.END
        ] > len(data):
            return layout.NO_ROOM
        if len(found) >= limit:
            break
        state[layout.AT_ROW] = row
        result = _decode_batch(
            data, table, row, lowest, beyond, limit, topic, partition, found, state
        )
        if result < 0:
            return result
    return 0


@cython.cfunc
def _decode_batch(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    limit: cython.Py_ssize_t,
    topic: str,
    partition: cython.int,
    found: list,
    state: cython.longlong[::1],
) -> cython.int:
    at: cython.Py_ssize_t = row * layout.WIDTH
    position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.END])
    append_time: cython.bint = table[at + layout.ATTRIBUTES] & 8 != 0
    index: cython.longlong
    record_end: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    bad: cython.bint
    length: cython.int
    # doubled and odd where null, as they are stored
    key_length: cython.uint
    value_length: cython.uint
    number: cython.uint
    result: cython.int
    delta: cython.int
    time: cython.longlong
    offset: cython.longlong
    record: Record
    headers: list
    last: tuple = _NO_HEADERS
    for index in range(table[at + layout.COUNT]):
        state[layout.AT_RECORD] = index
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.TOO_FEW_RECORDS
        if length < 1 or length > end - position:
            return layout.BAD_RECORD_LENGTH
        record_end = position + length
        result, position, time, delta, key_at, key_length, value_at, value_length = parts(
            data, position + 1, record_end
        )
        if result < 0:
            return result
        result, position, number = header_count(data, position, record_end)
        if result < 0:
            return result
        headers = None
        if number > 0:
            headers = []
            position = _headers(data, position, record_end, number, headers, last)
            if position < 0:
                return cython.cast(cython.int, position)
        if position != record_end:
            return layout.RECORD_HAS_MORE
        offset = table[at + layout.BASE_OFFSET] + delta
        if offset < lowest or offset >= beyond:
            continue
        record = Record.__new__(Record)
        record.topic = topic
        record.partition = partition
        record.offset = offset
        if append_time:
            record.timestamp = table[at + layout.MAX_TIMESTAMP]
            record.timestamp_type = 1
        else:
            record.timestamp = table[at + layout.BASE_TIMESTAMP] + time
            record.timestamp_type = 0
        record.key = None if key_length & 1 else _bytes(data, key_at, key_length >> 1)
        record.value = None if value_length & 1 else _bytes(data, value_at, value_length >> 1)
        if headers is None:
            record.headers = _NO_HEADERS
        else:
            last = tuple(headers)
            PyObject_GC_UnTrack(cython.cast(cython.p_void, last))
            record.headers = last
        found.append(record)
        if len(found) >= limit:
            return 0
    return 0 if position == end else layout.BATCH_HAS_MORE
