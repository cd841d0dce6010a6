# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Records of magic 2 batches, a whole fetch response at once: checked, and their fixed-size columns.

Nothing is trusted: every length is compared with what remains of its record, batch and buffer before
it is used. What has any size is copied afterwards, by `gathering`, once all of a response has been
checked. Compiled, a record of 100 bytes takes about 9 ns; uncompiled 1 to 4 us. Source: KIP-98, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

from barnabas.kernels import layout

_WIDTH = cython.declare(cython.int, layout.WIDTH)
_BASE_OFFSET = cython.declare(cython.int, layout.BASE_OFFSET)
_LAST_DELTA = cython.declare(cython.int, layout.LAST_DELTA)
_ATTRIBUTES = cython.declare(cython.int, layout.ATTRIBUTES)
_BASE_TIMESTAMP = cython.declare(cython.int, layout.BASE_TIMESTAMP)
_MAX_TIMESTAMP = cython.declare(cython.int, layout.MAX_TIMESTAMP)
_COUNT = cython.declare(cython.int, layout.COUNT)
_START = cython.declare(cython.int, layout.START)
_END = cython.declare(cython.int, layout.END)
_KEPT = cython.declare(cython.int, layout.KEPT)
_RECORDS = cython.declare(cython.int, layout.RECORDS)
_KEY_BYTES = cython.declare(cython.int, layout.KEY_BYTES)
_VALUE_BYTES = cython.declare(cython.int, layout.VALUE_BYTES)
_HEADERS = cython.declare(cython.int, layout.HEADERS)
_HEADER_KEY_BYTES = cython.declare(cython.int, layout.HEADER_KEY_BYTES)
_HEADER_VALUE_BYTES = cython.declare(cython.int, layout.HEADER_VALUE_BYTES)
_NULL_KEYS = cython.declare(cython.int, layout.NULL_KEYS)
_NULL_VALUES = cython.declare(cython.int, layout.NULL_VALUES)
_NULL_HEADER_VALUES = cython.declare(cython.int, layout.NULL_HEADER_VALUES)
_OFFSETS_AT = cython.declare(cython.int, layout.OFFSETS_AT)
_TIMESTAMPS_AT = cython.declare(cython.int, layout.TIMESTAMPS_AT)
_KEYS_AT = cython.declare(cython.int, layout.KEYS_AT)
_VALUES_AT = cython.declare(cython.int, layout.VALUES_AT)
_HEADERS_AT = cython.declare(cython.int, layout.HEADERS_AT)
_KEY_BITS_AT = cython.declare(cython.int, layout.KEY_BITS_AT)
_VALUE_BITS_AT = cython.declare(cython.int, layout.VALUE_BITS_AT)
_NOT_KEPT = cython.declare(cython.int, layout.NOT_KEPT)
_AT_ROW = cython.declare(cython.int, layout.AT_ROW)
_AT_RECORD = cython.declare(cython.int, layout.AT_RECORD)
_BAD_VARINT = cython.declare(cython.int, layout.BAD_VARINT)
_BAD_RECORD_LENGTH = cython.declare(cython.int, layout.BAD_RECORD_LENGTH)
_BAD_KEY_LENGTH = cython.declare(cython.int, layout.BAD_KEY_LENGTH)
_BAD_VALUE_LENGTH = cython.declare(cython.int, layout.BAD_VALUE_LENGTH)
_BAD_HEADER_COUNT = cython.declare(cython.int, layout.BAD_HEADER_COUNT)
_BAD_HEADER_LENGTH = cython.declare(cython.int, layout.BAD_HEADER_LENGTH)
_RECORD_HAS_MORE = cython.declare(cython.int, layout.RECORD_HAS_MORE)
_BATCH_HAS_MORE = cython.declare(cython.int, layout.BATCH_HAS_MORE)
_TOO_FEW_RECORDS = cython.declare(cython.int, layout.TOO_FEW_RECORDS)
_TOO_LARGE = cython.declare(cython.int, layout.TOO_LARGE)
_BAD_COUNT = cython.declare(cython.int, layout.BAD_COUNT)
_NO_ROOM = cython.declare(cython.int, layout.NO_ROOM)
_STATE = cython.declare(cython.int, layout.STATE)
_INT32_MAX = cython.declare(cython.int, 2147483647)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)
"""Bytes from which giving the GIL away pays; below, two threads only disturb each other."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _wrapped(value: cython.longlong) -> cython.longlong:
    """The 64 bits of a sum, as C has them; sums of garbage wrap and do not fail."""
    if cython.compiled:
        return value
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _varint(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> tuple[cython.Py_ssize_t, cython.int]:
    """A zigzag varint of 32 bits: the position behind it and its value; position -1 where bad."""
    if position >= end:
        return -1, 0
    byte: cython.uint = data[position]
    if byte < 128:
        return position + 1, cython.cast(cython.int, byte >> 1) ^ -cython.cast(cython.int, byte & 1)
    raw: cython.ulonglong = byte & 127
    shift: cython.int = 7
    position += 1
    while position < end:
        byte = data[position]
        position += 1
        if shift == 28 and byte > 15:
            return -1, 0
        raw |= cython.cast(cython.ulonglong, byte & 127) << shift
        if byte < 128:
            return position, cython.cast(cython.int, raw >> 1) ^ -cython.cast(cython.int, raw & 1)
        shift += 7
    return -1, 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _varlong(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> tuple[cython.Py_ssize_t, cython.longlong]:
    """A zigzag varint of 64 bits, as `_varint`."""
    raw: cython.ulonglong = 0
    byte: cython.uint
    shift: cython.int = 0
    while position < end:
        byte = data[position]
        position += 1
        if shift == 63 and byte > 1:
            return -1, 0
        raw |= cython.cast(cython.ulonglong, byte & 127) << shift
        if byte < 128:
            return position, cython.cast(cython.longlong, raw >> 1) ^ -cython.cast(
                cython.longlong, raw & 1
            )
        shift += 7
    return -1, 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _headers_end(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.int,
    state: cython.longlong[::1],
    cells: cython.int,
) -> cython.Py_ssize_t:
    """Go over `count` headers up to `end`, adding their sizes to `state`, so many cells further on.

    Returns the position behind them, or a negative code where they are bad.
    """
    length: cython.int
    while count > 0:
        position, length = _varint(data, position, end)
        if position < 0:
            return _BAD_VARINT
        if length < 0 or length > end - position:
            return _BAD_HEADER_LENGTH
        position += length
        state[cells + _HEADER_KEY_BYTES] += length
        position, length = _varint(data, position, end)
        if position < 0:
            return _BAD_VARINT
        if length > end - position:
            return _BAD_HEADER_LENGTH
        if length > 0:
            position += length
            state[cells + _HEADER_VALUE_BYTES] += length
        elif length < 0:
            state[cells + _NULL_HEADER_VALUES] += 1
        count -= 1
    return position


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
    """Scan the batch whose row of the table starts at `at`; see `scan`."""
    position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + _START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + _END])
    append_time: cython.bint = table[at + _ATTRIBUTES] & 8 != 0
    offsets_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_OFFSETS_AT])
    timestamps_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_TIMESTAMPS_AT])
    keys_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_KEYS_AT])
    values_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_VALUES_AT])
    kept: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_RECORDS])
    key_bytes: cython.longlong = state[_KEY_BYTES]
    value_bytes: cython.longlong = state[_VALUE_BYTES]
    index: cython.longlong
    record_end: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    length: cython.int
    key_length: cython.int
    value_length: cython.int
    number: cython.int
    delta: cython.int
    time: cython.longlong
    offset: cython.longlong
    for index in range(table[at + _COUNT]):
        state[_AT_RECORD] = index
        position, length = _varint(data, position, end)
        if position < 0:
            return _TOO_FEW_RECORDS
        if length < 1 or length > end - position:
            return _BAD_RECORD_LENGTH
        record_end = position + length
        position, time = _varlong(data, position + 1, record_end)
        if position < 0:
            return _BAD_VARINT
        position, delta = _varint(data, position, record_end)
        if position < 0:
            return _BAD_VARINT
        position, key_length = _varint(data, position, record_end)
        if position < 0:
            return _BAD_VARINT
        if key_length > record_end - position:
            return _BAD_KEY_LENGTH
        key_at = position
        if key_length > 0:
            position += key_length
        position, value_length = _varint(data, position, record_end)
        if position < 0:
            return _BAD_VARINT
        if value_length > record_end - position:
            return _BAD_VALUE_LENGTH
        value_at = position
        if value_length > 0:
            position += value_length
        position, number = _varint(data, position, record_end)
        if position < 0:
            return _BAD_VARINT
        if number < 0 or number > record_end - position:
            return _BAD_HEADER_COUNT
        offset = _wrapped(table[at + _BASE_OFFSET] + delta)
        if offset < lowest or offset >= beyond:
            if number > 0:
                position = _headers_end(data, position, record_end, number, state, _NOT_KEPT)
            if position != record_end:
                return cython.cast(cython.int, position) if position < 0 else _RECORD_HAS_MORE
            continue
        if offsets_at >= 0:
            longs[offsets_at + kept] = offset
        if timestamps_at >= 0:
            if append_time:
                longs[timestamps_at + kept] = table[at + _MAX_TIMESTAMP]
            else:
                longs[timestamps_at + kept] = _wrapped(table[at + _BASE_TIMESTAMP] + time)
        if keys_at >= 0:
            _mark(bits, state, _KEY_BITS_AT, kept, key_length)
            if key_length > 0:
                key_bytes += key_length
                if key_bytes > _INT32_MAX:
                    return _TOO_LARGE
            places[3 * kept] = cython.cast(cython.int, key_at)
            ints[keys_at + kept + 1] = cython.cast(cython.int, key_bytes)
        if values_at >= 0:
            _mark(bits, state, _VALUE_BITS_AT, kept, value_length)
            if value_length > 0:
                value_bytes += value_length
                if value_bytes > _INT32_MAX:
                    return _TOO_LARGE
            places[3 * kept + 1] = cython.cast(cython.int, value_at)
            ints[values_at + kept + 1] = cython.cast(cython.int, value_bytes)
        if state[_HEADERS_AT] >= 0:
            state[_HEADERS] += number
            if state[_HEADERS] > _INT32_MAX:
                return _TOO_LARGE
            places[3 * kept + 2] = cython.cast(cython.int, position)
            ints[state[_HEADERS_AT] + kept + 1] = cython.cast(cython.int, state[_HEADERS])
        if number > 0:
            position = _headers_end(data, position, record_end, number, state, 0)
            if position < 0:
                return cython.cast(cython.int, position)
        if position != record_end:
            return _RECORD_HAS_MORE
        kept += 1
    if position != end:
        return _BATCH_HAS_MORE
    table[at + _KEPT] = kept - state[_RECORDS]
    state[_RECORDS] = kept
    state[_KEY_BYTES] = key_bytes
    state[_VALUE_BYTES] = value_bytes
    return (
        _TOO_LARGE if max(state[_HEADER_KEY_BYTES], state[_HEADER_VALUE_BYTES]) > _INT32_MAX else 0
    )


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
    """Set the bit of a record whose key or value is not null, or count it."""
    at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[column]) + (kept >> 3)
    if kept & 7 == 0:
        bits[at] = 0
    if length >= 0:
        bits[at] |= 1 << (kept & 7)
    else:
        state[_NULL_KEYS + column - _KEY_BITS_AT] += 1


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
        at = row * _WIDTH
        state[_AT_ROW] = row
        table[at + _KEPT] = 0
        if not 0 <= table[at + _START] <= table[at + _END] <= len(data):
            return _NO_ROOM
        if not 0 <= table[at + _COUNT] <= (table[at + _END] - table[at + _START]) // 7:
            return _BAD_COUNT
        if table[at + _COUNT] > room - state[_RECORDS]:
            return _NO_ROOM
        if table[at + _BASE_OFFSET] >= beyond:
            continue
        if _wrapped(table[at + _BASE_OFFSET] + table[at + _LAST_DELTA]) < lowest:
            continue
        result = _scan(data, table, at, lowest, beyond, longs, ints, bits, places, state)
        if result < 0:
            return result
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _room(at: cython.longlong, size: cython.longlong, room: cython.longlong) -> cython.longlong:
    """The smaller of `room` and what an output from `at` on has; what is not wanted has any."""
    if at < 0:
        return room
    return min(room, size - at)


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
    """Check every record of some batches of a table and write the fixed-size part of the columns.

    The outputs lie in three blocks, where `state` says (OFFSETS_AT to VALUE_BITS_AT). For room for n
    records, of which state[RECORDS] are taken: offsets and timestamps n longs; keys, values and
    headers n + 1 ints, the ends of each record's part in a column of bytes (or of headers), the
    first one already 0; bits of keys and of values (n + 7) // 8 bytes, validity, least significant
    first. places int32[3 * n] tells where key, value and headers of a record are in `data`. Only
    records with lowest <= offset < beyond are kept; a batch that holds none, by its header, is not
    looked into.

    Returns 0 or a negative code; state then has the batch at AT_ROW and the record at AT_RECORD.
    """
    result: cython.int
    column: cython.int
    if len(state) < _STATE or len(data) > _INT32_MAX or first_row < 0:
        return _NO_ROOM
    if end > len(table) // _WIDTH or (state[_KEYS_AT] < 0) != (state[_KEY_BITS_AT] < 0):
        return _NO_ROOM
    if (state[_VALUES_AT] < 0) != (state[_VALUE_BITS_AT] < 0):
        return _NO_ROOM
    room: cython.longlong = _room(state[_OFFSETS_AT], len(longs), _INT32_MAX)
    room = _room(state[_TIMESTAMPS_AT], len(longs), room)
    for column in range(_KEYS_AT, _HEADERS_AT + 1):
        room = _room(state[column], len(ints) - 1, room)
        if state[column] >= 0:
            room = min(room, len(places) // 3)
    room = _room(8 * state[_KEY_BITS_AT], 8 * len(bits), room)
    room = _room(8 * state[_VALUE_BITS_AT], 8 * len(bits), room)
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
