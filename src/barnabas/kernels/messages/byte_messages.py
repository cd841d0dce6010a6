# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Messages of Kafka 0.6 and 0.7: find them, check CRCs, convert them to objects or to records of magic 2.

Nothing is trusted: every length is compared with what remains before it is used. Compiled, a message of
100 bytes takes about 5 ns, and 50 with its CRC; uncompiled 1 us. Source: seed 000 "Message".
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int32, uint32
    from cython.cimports.barnabas.kernels.buffers.collector import PyObject_GC_UnTrack
    from cython.cimports.barnabas.kernels.buffers.copies import copy
    from cython.cimports.barnabas.kernels.buffers.crc32 import crc32
    from cython.cimports.barnabas.kernels.buffers.varints import put_varint, varint_size
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int32, uint32
    from barnabas.kernels.buffers.copies import copy
    from barnabas.kernels.buffers.crc32 import crc32
    from barnabas.kernels.buffers.varints import put_varint, varint_size

_new = tuple.__new__
_TABLES = cython.declare(cython.int, 2048)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)
_LENGTH = cython.declare(cython.int, 4)
_SMALLEST = cython.declare(cython.int, 5)
_BESIDE = cython.declare(cython.Py_ssize_t, 15)
"""The most that a record has beside its value: six lengths or less, two of them of five bytes."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _size(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Bytes of the message with its length; 0: it is cut off. Negative: it is nonsense."""
    length: cython.Py_ssize_t
    magic: cython.int
    if end - position < _LENGTH:
        return 0
    length = int32(data, position)
    if length < 0:
        return layout.BAD_MESSAGE_LENGTH
    if length > end - position - _LENGTH:
        return 0
    if length < _SMALLEST:
        return layout.BAD_MESSAGE_LENGTH
    magic = data[position + _LENGTH]
    if magic > 1:
        return layout.BAD_OLD_MAGIC
    if length < _SMALLEST + magic:
        return layout.BAD_MESSAGE_LENGTH
    if magic == 1 and data[position + 5] & 3 == 3:
        return layout.UNKNOWN_CODEC
    return length + _LENGTH


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rows(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    tables: cython.uint[::1],
    table: cython.longlong[::1],
    progress: cython.longlong[::1],
) -> cython.int:
    room: cython.Py_ssize_t = len(table) // layout.BYTE_WIDTH
    checked: cython.bint = len(tables) == _TABLES
    found: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    payload: cython.Py_ssize_t
    at: cython.Py_ssize_t
    while True:
        progress[0] = position
        progress[1] = found
        size = _size(data, position, end)
        if size <= 0:
            return cython.cast(cython.int, size)
        if found == room:
            return 0
        payload = position + 9 + data[position + _LENGTH]
        if checked and crc32(data, payload, position + size, tables) != (uint32(data, payload - 4)):
            return layout.WRONG_CRC
        at = found * layout.BYTE_WIDTH
        table[at + layout.BYTE_START] = position
        table[at + layout.BYTE_PAYLOAD] = payload
        table[at + layout.BYTE_KIND] = 0
        if data[position + _LENGTH] == 1:
            table[at + layout.BYTE_KIND] = 256 + data[position + 5]
        position += size
        table[at + layout.BYTE_END] = position
        found += 1


def rows(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    tables: cython.uint[::1],
    table: cython.longlong[::1],
    progress: cython.longlong[::1],
) -> cython.int:
    """Write a row for each whole message between two positions, as many as `table` has.

    CRCs are compared where `tables` is what `message_rows.fill` has filled, and not where it is
    empty. Returns 0, or a negative code where a message is nonsense; progress[0] is where the first
    message is that has no row, progress[1] how many have one.
    """
    result: cython.int
    if position < 0 or position > end or end > len(data) or len(progress) < 2:
        return layout.NO_ROOM
    if len(tables) != 0 and len(tables) != _TABLES:
        return layout.NO_ROOM
    if end - position > _RELEASE:
        with cython.nogil:
            result = _rows(data, position, end, tables, table, progress)
    else:
        result = _rows(data, position, end, tables, table, progress)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _check(
    data: cython.const[cython.uchar][::1],
    tables: cython.uint[::1],
    largest: cython.longlong,
    progress: cython.longlong[::1],
) -> cython.int:
    position: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    payload: cython.Py_ssize_t
    end: cython.Py_ssize_t = len(data)
    progress[1] = 0
    while True:
        progress[0] = position
        size = _size(data, position, end)
        if size <= 0:
            return cython.cast(cython.int, size)
        payload = position + 9 + data[position + _LENGTH]
        if crc32(data, payload, position + size, tables) != (uint32(data, payload - 4)):
            return layout.WRONG_CRC
        progress[2] = position + size - payload
        if progress[2] > largest:
            return 1
        if data[position + _LENGTH] == 1 and data[position + 5] & 3:
            progress[1] = 1
        position += size


def check(
    data: cython.const[cython.uchar][::1],
    tables: cython.uint[::1],
    largest: cython.longlong,
    progress: cython.longlong[::1],
) -> cython.int:
    """Go over the whole messages, as `rows` does with CRCs, and keep nothing of them.

    Returns 0; a negative code where a message is nonsense; 1 where a payload has more than `largest`
    bytes. progress[0] is where that message is, or where the whole ones end, progress[1] whether one
    is compressed, progress[2] how many bytes the last payload has.
    """
    result: cython.int
    if len(progress) < 3 or len(tables) != _TABLES:
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _check(data, tables, largest, progress)
    else:
        result = _check(data, tables, largest, progress)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _records(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t
    cell: cython.Py_ssize_t
    start: cython.longlong
    size: cython.longlong
    delta: cython.longlong
    for row in range(first, last):
        cell = row * layout.BYTE_WIDTH
        start = table[cell + layout.BYTE_PAYLOAD]
        size = table[cell + layout.BYTE_END] - start
        if start < 0 or size < 0 or start + size > len(data):
            return layout.BAD_VALUE_LENGTH
        if len(target) - at < size + _BESIDE + 5:
            return layout.NO_ROOM
        delta = (
            table[cell + layout.BYTE_START] - table[first * layout.BYTE_WIDTH + layout.BYTE_START]
        )
        at = put_varint(target, at, 4 + varint_size(delta) + varint_size(size) + size)
        target[at] = 0  # Attributes, then the time as a delta of 0, then the key: null.
        target[at + 1] = 0
        at = put_varint(target, at + 2, delta)
        target[at] = 1
        at = put_varint(target, at + 1, size)
        copy(target, at, data, start, size)
        at += size
        target[at] = 0  # Headers.
        at += 1
    return at


def records(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the messages of rows [first, last) as records of magic 2, from byte `at` of `target` on.

    Offsets are BYTE_START minus that of the first. Returns the byte after them, or a negative code.
    A record takes at most 20 bytes beside its payload.
    """
    result: cython.Py_ssize_t
    if first < 0 or last < first or last * layout.BYTE_WIDTH > len(table) or at < 0:
        return layout.NO_ROOM
    if first == last:
        return at
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _records(data, table, first, last, target, at)
    else:
        result = _records(data, table, first, last, target, at)
    return result


@cython.cfunc
@cython.inline
def _payload(
    data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> bytes:
    if start == end:
        return b""
    if cython.compiled:
        return PyBytes_FromStringAndSize(
            cython.cast(cython.p_char, cython.address(data[start])), end - start
        )
    return bytes(data[start:end])


def objects(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    row: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    base: cython.longlong,
    step: cython.int,
    kind: type,
    found: list,
) -> cython.Py_ssize_t:
    """Append the messages of rows [row, last) to `found`, up to the first that is compressed.

    Each is a `kind` (a named tuple) of payload, next offset and magic. The next offset is `base` and,
    where `step` is 1, the position behind the message. Returns the row of the compressed one, or
    `last`; or a negative code.
    """
    cell: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    flags: cython.longlong
    made: object
    if row < 0 or last < row or last * layout.BYTE_WIDTH > len(table):
        return layout.NO_ROOM
    while row < last:
        cell = row * layout.BYTE_WIDTH
        flags = table[cell + layout.BYTE_KIND]
        if flags & 3:
            return row
        start = cython.cast(cython.Py_ssize_t, table[cell + layout.BYTE_PAYLOAD])
        end = cython.cast(cython.Py_ssize_t, table[cell + layout.BYTE_END])
        if start < 0 or end < start or end > len(data):
            return layout.BAD_VALUE_LENGTH
        made = _new(kind, (_payload(data, start, end), base + step * end, flags >> 8))
        if cython.compiled:
            # It refers to nothing that refers to it: the collector would look at it in vain.
            PyObject_GC_UnTrack(cython.cast(cython.p_void, made))
        found.append(made)
        row += 1
    return row
