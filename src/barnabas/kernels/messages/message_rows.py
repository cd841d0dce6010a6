# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Message sets of magic 0 and 1: runs of similar messages as a table, and their CRCs.

Nothing is trusted: every length is compared with what remains of its set before it is used. Compiled,
a message of 100 bytes takes about 4 ns, and 50 for its CRC; uncompiled 1 to 3 us. Source: seeds 002 and
003 "Message format", KIP-31, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int64, uint32
    from cython.cimports.barnabas.kernels.buffers.crc32 import crc32
    from cython.cimports.barnabas.kernels.buffers.varints import wrapped
    from cython.cimports.barnabas.kernels.messages.message_parts import message_size, places
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int64, uint32
    from barnabas.kernels.buffers.crc32 import crc32
    from barnabas.kernels.buffers.varints import wrapped
    from barnabas.kernels.messages.message_parts import message_size, places

_TABLES = cython.declare(cython.int, 2048)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)
_LARGE = cython.declare(cython.int, 1)
_WRONG = cython.declare(cython.int, 2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _packed(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    table: cython.longlong[::1],
    at: cython.Py_ssize_t,
) -> cython.int:
    """Say in a row where the value of a compressed message is."""
    code: cython.int
    _key_at: cython.Py_ssize_t
    _key_length: cython.int
    value_at: cython.Py_ssize_t
    value_length: cython.int
    code, _key_at, _key_length, value_at, value_length = places(data, position, position + size)
    if code < 0:
        return code
    if value_length < 0:
        return layout.BAD_VALUE_LENGTH
    table[at + layout.START] = value_at
    table[at + layout.END] = position + size
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rows(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    table: cython.longlong[::1],
    progress: cython.longlong[::1],
) -> cython.Py_ssize_t:
    room: cython.Py_ssize_t = len(table) // layout.WIDTH
    found: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    kind: cython.longlong
    last_kind: cython.longlong = -1
    offset: cython.longlong
    time: cython.longlong
    result: cython.int
    while True:
        progress[0] = position
        size = message_size(data, position, end)
        if size <= 0:
            return found if size == 0 else size
        kind = data[position + 17] & 7
        time = -1
        if data[position + 16] == 1:
            kind = (data[position + 17] & 15) | layout.HAS_TIMES
            time = int64(data, position + 18)
        offset = int64(data, position)
        if kind != last_kind or kind & 7 != 0:
            if found == room:
                return found
            at = found * layout.WIDTH
            found += 1
            last_kind = kind
            table[at + layout.POSITION] = position
            table[at + layout.BASE_OFFSET] = offset
            table[at + layout.CRC] = uint32(data, position + 12)
            table[at + layout.ATTRIBUTES] = kind
            table[at + layout.BASE_TIMESTAMP] = time
            table[at + layout.MAX_TIMESTAMP] = time
            table[at + layout.SHIFT] = 0
            table[at + layout.COUNT] = 0
            table[at + layout.START] = position
            table[at + layout.KEPT] = 0
            if kind & 7 != 0:
                result = _packed(data, position, size, table, at)
                if result < 0:
                    return result
        table[at + layout.MAX_TIMESTAMP] = max(table[at + layout.MAX_TIMESTAMP], time)
        position += size
        table[at + layout.COUNT] += 1
        table[at + layout.LAST_DELTA] = wrapped(offset - table[at + layout.BASE_OFFSET])
        table[at + layout.SIZE] = position - table[at + layout.POSITION]
        if kind & 7 == 0:
            table[at + layout.END] = position


def rows(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    table: cython.longlong[::1],
    progress: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Write a row for each run of messages alike between two positions, as many as `table` has.

    Alike are neighbours of one magic and one kind of timestamp; a compressed message is a row of
    its own, START and END of which are its value. Returns how many, or a negative code where a
    message is nonsense; progress[0] is then where it is, and else where the first message begins
    that is in no row, is cut off or has another magic.
    """
    result: cython.Py_ssize_t
    if position < 0 or position > end or end > len(data) or len(progress) < 1:
        return layout.NO_ROOM
    if end - position > _RELEASE:
        with cython.nogil:
            result = _rows(data, position, end, table, progress)
    else:
        result = _rows(data, position, end, table, progress)
    return result


def fill(tables: cython.uint[::1]) -> cython.int:
    """Fill uint32[8 * 256] with what `check_crcs` needs. Returns 0, or a negative code."""
    byte: cython.int
    step: cython.int
    value: cython.uint
    if len(tables) != _TABLES:
        return layout.NO_ROOM
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        tables[byte] = value
    for step in range(1, 8):
        for byte in range(256):
            value = tables[256 * (step - 1) + byte]
            tables[256 * step + byte] = (value >> 8) ^ tables[value & 255]
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _check_crcs(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    largest: cython.Py_ssize_t,
    tables: cython.uint[::1],
    progress: cython.longlong[::1],
) -> cython.int:
    size: cython.Py_ssize_t
    while True:
        progress[0] = position
        size = message_size(data, position, end)
        if size <= 0:
            return cython.cast(cython.int, size)
        if size > largest:
            return _LARGE
        if crc32(data, position + 16, position + size, tables) != (uint32(data, position + 12)):
            return _WRONG
        position += size


def check_crcs(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    largest: cython.Py_ssize_t,
    tables: cython.uint[::1],
    progress: cython.longlong[::1],
) -> cython.int:
    """Compare messages with their CRC32, from `position` on.

    Returns 0 when none is left, 1 at one of more than `largest` bytes, which is for the caller, 2 at
    one whose CRC is wrong, or a negative code; progress[0] is where that one begins.
    """
    result: cython.int
    if position < 0 or position > end or end > len(data) or len(progress) < 1:
        return layout.NO_ROOM
    if len(tables) != _TABLES:
        return layout.NO_ROOM
    if end - position > _RELEASE:
        with cython.nogil:
            result = _check_crcs(data, position, end, largest, tables, progress)
    else:
        result = _check_crcs(data, position, end, largest, tables, progress)
    return result
