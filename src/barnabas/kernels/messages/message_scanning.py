# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Messages of magic 0 and 1, a whole fetch response at once: checked, and their fixed-size columns.

The rows come from `message_rows`, and `gathering` copies the rest, as with magic 2. Every length is
compared with what remains of its message before it is used. Compiled, a message of 100 bytes takes
about 8 ns, uncompiled 2 to 4 us. Source: seeds 002 and 003 "Message format", KIP-31, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int64
    from cython.cimports.barnabas.kernels.buffers.varints import wrapped
    from cython.cimports.barnabas.kernels.columns.outputs import records_with_room
    from cython.cimports.barnabas.kernels.messages.message_parts import read
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int64
    from barnabas.kernels.buffers.varints import wrapped
    from barnabas.kernels.columns.outputs import records_with_room
    from barnabas.kernels.messages.message_parts import read

_INT32_MAX = cython.declare(cython.int, 2147483647)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mark(
    bits: cython.uchar[::1],
    state: cython.longlong[::1],
    column: cython.int,
    kept: cython.Py_ssize_t,
    length: cython.int,
) -> cython.void:
    """Set the bit of a message whose key or value is not null, or count it."""
    at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[column]) + (kept >> 3)
    if kept & 7 == 0:
        bits[at] = 0
    if length >= 0:
        bits[at] |= 1 << (kept & 7)
    else:
        state[layout.NULL_KEYS + column - layout.KEY_BITS_AT] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    at: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    longs: cython.longlong[::1],
    ints: cython.int[::1],
    bits: cython.uchar[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Scan the messages of the row that starts at `at` in the table; see `scan`."""
    position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.END])
    has_times: cython.bint = table[at + layout.ATTRIBUTES] & layout.HAS_TIMES != 0
    time_of_row: cython.bint = table[at + layout.ATTRIBUTES] & layout.TIME_OF_ROW != 0
    kept: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.RECORDS])
    key_bytes: cython.longlong = state[layout.KEY_BYTES]
    value_bytes: cython.longlong = state[layout.VALUE_BYTES]
    index: cython.longlong
    next_message: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    key_length: cython.int
    value_length: cython.int
    offset: cython.longlong
    for index in range(table[at + layout.COUNT]):
        state[layout.AT_RECORD] = index
        next_message, key_at, key_length, value_at, value_length = read(
            data, position, end, has_times
        )
        if next_message < 0:
            return cython.cast(cython.int, next_message)
        offset = wrapped(int64(data, position) + table[at + layout.SHIFT])
        if lowest <= offset < beyond:
            if state[layout.OFFSETS_AT] >= 0:
                longs[state[layout.OFFSETS_AT] + kept] = offset
            if state[layout.TIMESTAMPS_AT] >= 0:
                if time_of_row:
                    longs[state[layout.TIMESTAMPS_AT] + kept] = table[at + layout.MAX_TIMESTAMP]
                elif has_times:
                    longs[state[layout.TIMESTAMPS_AT] + kept] = int64(data, position + 18)
                else:
                    longs[state[layout.TIMESTAMPS_AT] + kept] = -1
            if state[layout.KEYS_AT] >= 0:
                _mark(bits, state, layout.KEY_BITS_AT, kept, key_length)
                key_bytes += max(key_length, 0)
                if key_bytes > _INT32_MAX:
                    return layout.TOO_LARGE
                places[3 * kept] = cython.cast(cython.int, key_at)
                ints[state[layout.KEYS_AT] + kept + 1] = cython.cast(cython.int, key_bytes)
            if state[layout.VALUES_AT] >= 0:
                _mark(bits, state, layout.VALUE_BITS_AT, kept, value_length)
                value_bytes += max(value_length, 0)
                if value_bytes > _INT32_MAX:
                    return layout.TOO_LARGE
                places[3 * kept + 1] = cython.cast(cython.int, value_at)
                ints[state[layout.VALUES_AT] + kept + 1] = cython.cast(cython.int, value_bytes)
            if state[layout.HEADERS_AT] >= 0:
                places[3 * kept + 2] = 0
                ints[state[layout.HEADERS_AT] + kept + 1] = cython.cast(
                    cython.int, state[layout.HEADERS]
                )
            kept += 1
        position = next_message
    table[at + layout.KEPT] = kept - state[layout.RECORDS]
    state[layout.RECORDS] = kept
    state[layout.KEY_BYTES] = key_bytes
    state[layout.VALUE_BYTES] = value_bytes
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan_rows(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end_row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    room: cython.longlong,
    longs: cython.longlong[::1],
    ints: cython.int[::1],
    bits: cython.uchar[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    result: cython.int
    for row in range(first_row, end_row):
        at = row * layout.WIDTH
        state[layout.AT_ROW] = row
        table[at + layout.KEPT] = 0
        if not 0 <= table[at + layout.START] <= table[at + layout.END] <= len(data):
            return layout.NO_ROOM
        if not 0 <= table[at + layout.COUNT] <= room - state[layout.RECORDS]:
            return layout.NO_ROOM
        result = _scan(data, table, at, lowest, beyond, longs, ints, bits, places, state)
        if result < 0:
            return result
    return 0


def scan(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    longs: cython.longlong[::1],
    ints: cython.int[::1],
    bits: cython.uchar[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Check every message of some rows and write the fixed-size part of the columns.

    Arguments, outputs and result are those of `scanning.scan`. The rows hold uncompressed messages:
    those of a compressed one are found by `rows` in what it decompresses to.
    """
    result: cython.int
    room: cython.longlong = records_with_room(data, longs, ints, bits, places, state)
    if room < 0 or first_row < 0 or end > len(table) // layout.WIDTH:
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _scan_rows(
                data, table, first_row, end, lowest, beyond, room, longs, ints, bits, places, state
            )
    else:
        result = _scan_rows(
            data, table, first_row, end, lowest, beyond, room, longs, ints, bits, places, state
        )
    return result
