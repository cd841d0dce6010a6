# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Magic 2 batches in a buffer: how many there are, and their headers as a table.

Nothing is trusted: every length is compared with what remains of the buffer before it is used.
Source: KIP-98, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int32, int64, uint32
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int32, int64, uint32

_HEADER_SIZE = cython.declare(cython.int, 61)


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
        return layout.BAD_MAGIC
    length: cython.Py_ssize_t = int32(data, position + 8)
    if length < _HEADER_SIZE - 12:
        return layout.BAD_BATCH_LENGTH
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


def last_whole(data: cython.const[cython.uchar][::1], found: cython.longlong[::1]) -> cython.void:
    """Write where the last whole batch starts and ends, up to the first that is none; both 0 without one."""
    size: cython.Py_ssize_t = len(data)
    start: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = _prefix(data, 0, size)
    while step > 0:
        start = position
        position += step
        step = _prefix(data, position, size)
    found[0] = start
    found[1] = position


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
    rows: cython.Py_ssize_t = len(table) // layout.WIDTH
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
            return layout.NO_ROOM
        at = row * layout.WIDTH
        attributes = int32(data, position + 19) & 65535
        records = int32(data, position + 57)
        # an uncompressed record takes seven bytes at least; a compressed one is checked later
        if records < 0 or (attributes & 7 == 0 and records > (step - _HEADER_SIZE) // 7):
            return layout.BAD_COUNT
        seen |= attributes
        state[layout.RECORDS] += records
        table[at + layout.POSITION] = position
        table[at + layout.SIZE] = step
        table[at + layout.BASE_OFFSET] = int64(data, position)
        table[at + layout.LAST_DELTA] = int32(data, position + 23)
        table[at + layout.CRC] = uint32(data, position + 17)
        table[at + layout.ATTRIBUTES] = attributes
        table[at + layout.BASE_TIMESTAMP] = int64(data, position + 27)
        table[at + layout.MAX_TIMESTAMP] = int64(data, position + 35)
        table[at + layout.PRODUCER_ID] = int64(data, position + 43)
        table[at + layout.COUNT] = records
        table[at + layout.START] = position + _HEADER_SIZE
        table[at + layout.END] = position + step
        table[at + layout.KEPT] = 0
        position += step
    return seen
