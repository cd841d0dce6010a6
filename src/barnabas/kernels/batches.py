# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Magic 2 batches in a buffer: how many there are, and their headers as a table.

Nothing is trusted: every length is compared with what remains of the buffer before it is used.
Source: KIP-98, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

from barnabas.kernels import layout

_WIDTH = cython.declare(cython.int, layout.WIDTH)
_POSITION = cython.declare(cython.int, layout.POSITION)
_SIZE = cython.declare(cython.int, layout.SIZE)
_BASE_OFFSET = cython.declare(cython.int, layout.BASE_OFFSET)
_LAST_DELTA = cython.declare(cython.int, layout.LAST_DELTA)
_CRC = cython.declare(cython.int, layout.CRC)
_ATTRIBUTES = cython.declare(cython.int, layout.ATTRIBUTES)
_BASE_TIMESTAMP = cython.declare(cython.int, layout.BASE_TIMESTAMP)
_MAX_TIMESTAMP = cython.declare(cython.int, layout.MAX_TIMESTAMP)
_PRODUCER_ID = cython.declare(cython.int, layout.PRODUCER_ID)
_COUNT = cython.declare(cython.int, layout.COUNT)
_START = cython.declare(cython.int, layout.START)
_END = cython.declare(cython.int, layout.END)
_KEPT = cython.declare(cython.int, layout.KEPT)
_RECORDS = cython.declare(cython.int, layout.RECORDS)
_BAD_MAGIC = cython.declare(cython.int, layout.BAD_MAGIC)
_BAD_BATCH_LENGTH = cython.declare(cython.int, layout.BAD_BATCH_LENGTH)
_BAD_COUNT = cython.declare(cython.int, layout.BAD_COUNT)
_NO_ROOM = cython.declare(cython.int, layout.NO_ROOM)
_HEADER_SIZE = cython.declare(cython.int, 61)
_UINT32_MAX = cython.declare(cython.longlong, 0xFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _int32(data: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.int:
    """Four big-endian bytes."""
    high: cython.int = data[at]
    if high > 127:
        high -= 256
    return (high * 16777216) + (
        (cython.cast(cython.int, data[at + 1]) << 16)
        | (cython.cast(cython.int, data[at + 2]) << 8)
        | cython.cast(cython.int, data[at + 3])
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _int64(data: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.longlong:
    """Eight big-endian bytes."""
    low: cython.longlong = _int32(data, at + 4)
    if low < 0:
        low += cython.cast(cython.longlong, 65536) * 65536
    return cython.cast(cython.longlong, _int32(data, at)) * 65536 * 65536 + low


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _prefix(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Bytes of the batch at `position`; 0 where it is cut off by the end, a negative code where bad."""
    if size - position < 17:
        return 0
    if data[position + 16] != 2:
        return _BAD_MAGIC
    length: cython.Py_ssize_t = _int32(data, position + 8)
    if length < _HEADER_SIZE - 12:
        return _BAD_BATCH_LENGTH
    if length > size - position - 12:
        return 0
    return length + 12


def count(data: cython.const[cython.uchar][::1]) -> cython.Py_ssize_t:
    """Whole batches in the buffer, or a negative code where one is nonsense."""
    size: cython.Py_ssize_t = len(data)
    position: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = _prefix(data, 0, size)
    while step > 0:
        position += step
        found += 1
        step = _prefix(data, position, size)
    return step if step < 0 else found


def walk(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Write a row for each of the first `len(table) // WIDTH` batches, which `count` has found.

    Returns the attribute bits that any of them has, or a negative code where a count is impossible;
    state[RECORDS] grows by the records of all.
    """
    size: cython.Py_ssize_t = len(data)
    rows: cython.Py_ssize_t = len(table) // _WIDTH
    position: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    seen: cython.int = 0
    attributes: cython.int
    records: cython.int
    for row in range(rows):
        step = _prefix(data, position, size)
        if step <= 0:
            return _NO_ROOM
        at = row * _WIDTH
        attributes = _int32(data, position + 19) & 65535
        records = _int32(data, position + 57)
        # an uncompressed record takes seven bytes at least; a compressed one is checked later
        if records < 0 or (attributes & 7 == 0 and records > (step - _HEADER_SIZE) // 7):
            return _BAD_COUNT
        seen |= attributes
        state[_RECORDS] += records
        table[at + _POSITION] = position
        table[at + _SIZE] = step
        table[at + _BASE_OFFSET] = _int64(data, position)
        table[at + _LAST_DELTA] = _int32(data, position + 23)
        table[at + _CRC] = _int64(data, position + 17) >> 32 & _UINT32_MAX
        table[at + _ATTRIBUTES] = attributes
        table[at + _BASE_TIMESTAMP] = _int64(data, position + 27)
        table[at + _MAX_TIMESTAMP] = _int64(data, position + 35)
        table[at + _PRODUCER_ID] = _int64(data, position + 43)
        table[at + _COUNT] = records
        table[at + _START] = position + _HEADER_SIZE
        table[at + _END] = position + step
        table[at + _KEPT] = 0
        position += step
    return seen
