# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RecordAppender and Delivery with C fields: records one by one into a batch.

Only compiled; `objects_plain` is the same in plain Python. Appending a record of 100 bytes takes
about 60 ns (aiokafka 156, kafka-python 1281). Source: KIP-98.
"""

import cython
from cython.cimports.barnabas.kernels.buffers.big_endian import put_of
from cython.cimports.barnabas.kernels.buffers.castagnoli import castagnoli, castagnoli_here
from cython.cimports.barnabas.kernels.buffers.varints import varint_size
from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING, PyByteArray_Resize
from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_GET_SIZE
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize
from cython.cimports.libc.string import memcpy

_HEADER_SIZE = cython.declare(cython.Py_ssize_t, 61)
_PREFIX_SIZE = cython.declare(cython.Py_ssize_t, 12)
_CRC_FROM = cython.declare(cython.Py_ssize_t, 21)
_SMALLEST = cython.declare(cython.Py_ssize_t, 1024)
_LARGEST = cython.declare(cython.Py_ssize_t, 2147483647)
_SUMMED_HERE = cython.declare(cython.Py_ssize_t, 4096)
"""Bytes up to which a sum costs less here than by a call of the library."""
_NO_HEADERS = cython.declare(tuple, ())


@cython.final
@cython.no_gc
@cython.freelist(4096)
@cython.cclass
class Delivery:
    """The outcome of one record that was sent: the record `index` of a batch.

    `batch` is the sender's: it has done(index), result(index, timestamp, timeout_s), the
    coroutine awaited(index, timestamp) and shown(index).
    """

    batch = cython.declare(object, visibility="readonly")
    index = cython.declare(cython.int, visibility="readonly")
    timestamp = cython.declare(cython.longlong, visibility="readonly")

    def done(self) -> bool:
        """Whether it is known."""
        return self.batch.done(self.index)

    def result(self, timeout_s: float | None = None):
        """Wait for it, for up to `timeout_s` seconds; raises what made the delivery fail."""
        return self.batch.result(self.index, self.timestamp, timeout_s)

    def __await__(self):
        return self.batch.awaited(self.index, self.timestamp).__await__()

    def __repr__(self) -> str:
        return f"<Delivery {self.batch.shown(self.index)}>"


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put(target: cython.p_uchar, value: cython.longlong) -> cython.p_uchar:
    """Write a zigzag varint; returns where the next byte goes."""
    raw: cython.ulonglong = cython.cast(cython.ulonglong, (value << 1) ^ (value >> 63))
    while raw >= 128:
        target[0] = cython.cast(cython.uchar, raw & 127 | 128)
        target += 1
        raw >>= 7
    target[0] = cython.cast(cython.uchar, raw)
    return target + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_bytes(
    target: cython.p_uchar, data: cython.p_char, size: cython.Py_ssize_t
) -> cython.p_uchar:
    """Write a length and bytes; -1 alone for null."""
    target = _put(target, size)
    if size > 0:
        memcpy(target, data, size)
        target += size
    return target


@cython.cfunc
@cython.inline
def _as_bytes(data: object, what: str) -> bytes:
    if data is None or type(data) is bytes:
        return data
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"a {what} is bytes or None, not {type(data).__name__}")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_header(pair: object) -> cython.bint:
    """Whether it is a tuple of (str, bytes or None) already."""
    if type(pair) is not tuple:
        return False
    both: tuple = pair
    if len(both) != 2 or type(both[0]) is not str:
        return False
    return both[1] is None or type(both[1]) is bytes


@cython.cfunc
def _as_headers(headers: object) -> tuple:
    """Headers as an immutable tuple of (str, bytes or None)."""
    if type(headers) is tuple or type(headers) is list:
        whole: tuple = tuple(headers)
        for pair in whole:
            if not _is_header(pair):
                break
        else:
            return whole
        headers = whole
    checked: list = []
    for pair in headers:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"a header is a pair of str and bytes, not {pair!r}")
        name, value = pair
        if type(name) is not str:
            raise TypeError(f"the name of a header is str, not {type(name).__name__}")
        checked.append((name, _as_bytes(value, "header's value")))
    return tuple(checked)


@cython.final
@cython.cclass
class RecordAppender:
    """The records of one batch, growing up to a limit. An append is one step for other threads.

    `size` is that of the batch without compression, header included; `limit` bounds it, but the
    first record always fits. Timestamps are milliseconds since the epoch; both are -1 while empty.
    """

    batch = cython.declare(object, visibility="readonly")
    limit = cython.declare(cython.Py_ssize_t, visibility="readonly")
    size = cython.declare(cython.Py_ssize_t, visibility="readonly")
    count = cython.declare(cython.int, visibility="readonly")
    sealed = cython.declare(cython.bint, visibility="readonly")
    first_timestamp = cython.declare(cython.longlong, visibility="readonly")
    max_timestamp = cython.declare(cython.longlong, visibility="readonly")
    _buffer: bytearray
    _room: cython.Py_ssize_t

    def __init__(self, limit: cython.Py_ssize_t, batch: object = None) -> None:
        self.batch = batch
        self.limit = min(limit, _LARGEST)
        self.size = _HEADER_SIZE
        self.count = 0
        self.sealed = False
        self.first_timestamp = -1
        self.max_timestamp = -1
        self._room = _SMALLEST
        self._buffer = bytearray(_SMALLEST)

    @cython.ccall
    def append(self, timestamp: cython.longlong, key: object, value: object, headers: object = ()):
        """Add a record; returns None if the batch is sealed or has no room for it.

        Raises:
            TypeError: key or value is not bytes, a header not (str, bytes).
        """
        names: tuple = _NO_HEADERS
        if headers is not _NO_HEADERS and headers is not None:
            names = _as_headers(headers)
        # From here on no Python code runs, so no other thread can see or make a half-done append.
        key_bytes: bytes = _as_bytes(key, "key")
        value_bytes: bytes = _as_bytes(value, "value")
        key_size: cython.Py_ssize_t = -1
        value_size: cython.Py_ssize_t = -1
        name_size: cython.Py_ssize_t
        first: cython.longlong = self.first_timestamp if self.count else timestamp
        body: cython.Py_ssize_t = 1 + varint_size(timestamp - first) + varint_size(self.count)
        if key_bytes is not None:
            key_size = PyBytes_GET_SIZE(key_bytes)
            body += key_size
        body += varint_size(key_size)
        if value_bytes is not None:
            value_size = PyBytes_GET_SIZE(value_bytes)
            body += value_size
        body += varint_size(value_size)
        body += varint_size(len(names))
        if names:
            for name, content in names:
                PyUnicode_AsUTF8AndSize(name, cython.address(name_size))
                body += name_size + varint_size(name_size)
                if content is None:
                    body += 1
                else:
                    body += len(content) + varint_size(len(content))
        whole: cython.Py_ssize_t = body + varint_size(body)
        if self.sealed or whole > _LARGEST - self.size:
            return None
        if self.count and whole > self.limit - self.size:
            return None
        if self.size + whole > self._room:
            self._grow(self.size + whole)
        target: cython.p_uchar = (
            cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._buffer)) + self.size
        )
        target = _put(target, body)
        target[0] = 0
        target = _put(target + 1, timestamp - first)
        target = _put(target, self.count)
        target = _put_bytes(
            target, PyBytes_AS_STRING(key_bytes) if key_bytes is not None else cython.NULL, key_size
        )
        target = _put_bytes(
            target,
            PyBytes_AS_STRING(value_bytes) if value_bytes is not None else cython.NULL,
            value_size,
        )
        target = _put(target, len(names))
        if names:
            self._put_headers(target, names)
        delivery: Delivery = Delivery.__new__(Delivery)
        delivery.batch = self.batch
        delivery.index = self.count
        delivery.timestamp = timestamp
        if self.count == 0:
            self.first_timestamp = timestamp
            self.max_timestamp = timestamp
        elif timestamp > self.max_timestamp:
            self.max_timestamp = timestamp
        self.count += 1
        self.size += whole
        return delivery

    @cython.cfunc
    def _put_headers(self, target: cython.p_uchar, headers: tuple) -> cython.int:
        name_size: cython.Py_ssize_t
        value: bytes
        for name, content in headers:
            characters: cython.p_const_char = PyUnicode_AsUTF8AndSize(
                name, cython.address(name_size)
            )
            target = _put_bytes(target, cython.cast(cython.p_char, characters), name_size)
            if content is None:
                target = _put(target, -1)
            else:
                value = content
                target = _put_bytes(target, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))
        return 0

    @cython.cfunc
    def _grow(self, size: cython.Py_ssize_t) -> cython.int:
        room: cython.Py_ssize_t = max(size, min(2 * self._room, self.limit))
        PyByteArray_Resize(self._buffer, room)
        self._room = room
        return 0

    def seal(self) -> None:
        """Take no more records."""
        self.sealed = True

    def take(self) -> bytearray:
        """Seal, and give away the batch: 61 bytes for its header, to be filled, and the records."""
        self.sealed = True
        taken: bytearray = self._buffer
        if taken is None:
            raise ValueError("the records were taken already")
        self._buffer = None
        PyByteArray_Resize(taken, self.size)
        return taken

    def finish(
        self,
        base_offset: cython.longlong,
        leader_epoch: cython.int,
        attributes: cython.int,
        producer_id: cython.longlong,
        producer_epoch: cython.int,
        base_sequence: cython.int,
        crc32c: object,
    ) -> bytearray:
        """As `take`, with its header: `attributes` may not say that it is compressed.

        `crc32c` sums large batches, and all batches if the processor has no instruction for it.
        """
        batch: bytearray = self.take()
        put_of(batch, 0, base_offset, 8)
        put_of(batch, 8, self.size - _PREFIX_SIZE, 4)
        put_of(batch, 12, leader_epoch, 4)
        put_of(batch, 16, 2, 1)
        put_of(batch, 21, attributes, 2)
        put_of(batch, 23, self.count - 1, 4)
        put_of(batch, 27, self.first_timestamp, 8)
        put_of(batch, 35, self.max_timestamp, 8)
        put_of(batch, 43, producer_id, 8)
        put_of(batch, 51, producer_epoch, 2)
        put_of(batch, 53, base_sequence, 4)
        put_of(batch, 57, self.count, 4)
        if self.size <= _SUMMED_HERE and castagnoli_here():
            start: cython.p_uchar = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(batch))
            put_of(batch, 17, castagnoli(start + _CRC_FROM, self.size - _CRC_FROM), 4)
        else:
            put_of(batch, 17, crc32c(memoryview(batch)[_CRC_FROM:]), 4)
        return batch


@cython.final
@cython.cclass
class OpenBatches:
    """Adds a producer's records without key and partition to the open batches in `by_topic`.

    It needs one call for each record, for a producer of millions. `time_ns` returns the time since the
    epoch in nanoseconds.
    """

    by_topic = cython.declare(dict, visibility="readonly")
    _time_ns: object

    def __init__(self, by_topic: dict, time_ns: object) -> None:
        self.by_topic = by_topic
        self._time_ns = time_ns

    def append(
        self, topic: object, value: object, timestamp: object = None, headers: object = ()
    ) -> Delivery | None:
        """Add a record, of now where `timestamp` is None; text is sent as UTF-8.

        None where the topic has no open batch, or that is sealed or has no room for it, and where
        topic, timestamp or headers are not of the usual types: nothing of them is used up then.

        Raises:
            TypeError: the value is not bytes or text, a header not (str, bytes).
        """
        if type(topic) is not str:
            return None
        found = self.by_topic.get(topic)
        if found is None:
            return None
        if headers is not _NO_HEADERS and type(headers) is not list and type(headers) is not tuple:
            return None
        when: cython.longlong
        if timestamp is None:
            when = self._time_ns()
            when = when // 1000000
        elif type(timestamp) is int and timestamp >= 0:
            when = timestamp
        else:
            return None
        if type(value) is str:
            value = value.encode()
        appender: RecordAppender = found
        return appender.append(when, None, value, headers)
