# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Records of magic 2 batches, a whole fetch response at once: checked, and their fixed-size columns.

Nothing is trusted: every length is compared with what remains of its record, batch and buffer before
it is used. Values of variable size are copied afterwards, by `gathering`, once the whole response has been
checked. Compiled, a record of 100 bytes takes about 9 ns; uncompiled 1 to 4 us. Source: KIP-98, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.batches.record_parts import header_count, parts
    from cython.cimports.barnabas.kernels.buffers.varints import raw, wrapped
    from cython.cimports.barnabas.kernels.columns.outputs import records_with_room
else:
    from barnabas.kernels import layout
    from barnabas.kernels.batches.record_parts import header_count, parts
    from barnabas.kernels.buffers.varints import raw, wrapped
    from barnabas.kernels.columns.outputs import records_with_room

_INT32_MAX = cython.declare(cython.int, 2147483647)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)
"""Bytes from which giving the GIL away pays; below, two threads only disturb each other."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _headers_end(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    state: cython.longlong[::1],
    cells: cython.int,
) -> cython.Py_ssize_t:
    """Go over `count` headers up to `end`, adding their sizes to `state`, so many cells further on.

    Returns the position after them, or a negative code if they are bad.
    """
    bad: cython.bint
    length: cython.uint  # doubled, odd where negative
    key_bytes: cython.longlong = 0
    value_bytes: cython.longlong = 0
    nulls: cython.longlong = 0
    while count > 0:
        bad, position, length = raw(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length & 1 or length >> 1 > end - position:
            return layout.BAD_HEADER_LENGTH
        position += length >> 1
        key_bytes += length >> 1
        bad, position, length = raw(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length & 1:
            nulls += 1
        elif length >> 1 > end - position:
            return layout.BAD_HEADER_LENGTH
        else:
            position += length >> 1
            value_bytes += length >> 1
        count -= 1
    state[cells + layout.HEADER_KEY_BYTES] += key_bytes
    state[cells + layout.HEADER_VALUE_BYTES] += value_bytes
    state[cells + layout.NULL_HEADER_VALUES] += nulls
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_bits(
    bits: cython.uchar[::1],
    at: cython.longlong,
    first: cython.longlong,
    last: cython.longlong,
) -> cython.void:
    """Set the bits [first, last) of the bitmap that starts at byte `at`, if that is not negative."""
    byte: cython.Py_ssize_t
    if at < 0 or first >= last:
        return
    if first & 7:
        bits[cython.cast(cython.Py_ssize_t, at + (first >> 3))] |= 255 << (first & 7) & 255
    for byte in range(
        cython.cast(cython.Py_ssize_t, at + (first + 7 >> 3)),
        cython.cast(cython.Py_ssize_t, at + (last + 7 >> 3)),
    ):
        bits[byte] = 255


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
    # In variables, or the loop reads them again after each write to an output.
    start: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.END])
    base_offset: cython.longlong = table[at + layout.BASE_OFFSET]
    base_timestamp: cython.longlong = table[at + layout.BASE_TIMESTAMP]
    append_time: cython.bint = table[at + layout.ATTRIBUTES] & 8 != 0
    offsets_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.OFFSETS_AT])
    timestamps_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.TIMESTAMPS_AT])
    keys_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.KEYS_AT])
    values_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.VALUES_AT])
    headers_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.HEADERS_AT])
    key_bits_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.KEY_BITS_AT])
    value_bits_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.VALUE_BITS_AT])
    kept: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.RECORDS])
    key_bytes: cython.longlong = state[layout.KEY_BYTES]
    value_bytes: cython.longlong = state[layout.VALUE_BYTES]
    headers: cython.longlong = state[layout.HEADERS]
    null_keys: cython.longlong = 0
    null_values: cython.longlong = 0
    count: cython.longlong = table[at + layout.COUNT]
    result: cython.int = 0
    bad: cython.bint
    inside: cython.bint
    cells: cython.int
    header_at: cython.Py_ssize_t
    index: cython.longlong = 0
    position: cython.Py_ssize_t
    record_end: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    # doubled and odd where negative, as they are stored
    length: cython.uint
    key_length: cython.uint
    value_length: cython.uint
    number: cython.uint
    delta: cython.int
    time: cython.longlong
    offset: cython.longlong
    if max(key_bytes, value_bytes, headers) > _INT32_MAX - (end - start):
        return layout.TOO_LARGE
    # A null is rare: all are taken for valid, and the bit of one that is not is cleared again.
    _set_bits(bits, key_bits_at, kept, kept + count)
    _set_bits(bits, value_bits_at, kept, kept + count)
    for index in range(count):  # noqa: B007 - used below
        bad, position, length = raw(data, start, end)
        if bad:
            result = layout.TOO_FEW_RECORDS
            break
        if length & 1 or length == 0 or length >> 1 > end - position:
            result = layout.BAD_RECORD_LENGTH
            break
        # Known long before the parts are: a processor then works on several records at once.
        start = record_end = position + (length >> 1)
        result, position, time, delta, key_at, key_length, value_at, value_length = parts(
            data, position + 1, record_end
        )
        if result < 0:
            break
        result, position, number = header_count(data, position, record_end)
        if result < 0:
            break
        offset = wrapped(base_offset + delta)
        inside = lowest <= offset < beyond
        header_at = position
        if number > 0:
            cells = 0 if inside else layout.NOT_KEPT
            position = _headers_end(data, position, record_end, number, state, cells)
        if position != record_end:
            result = cython.cast(cython.int, position) if position < 0 else layout.RECORD_HAS_MORE
            break
        if not inside:
            continue
        if offsets_at >= 0:
            longs[offsets_at + kept] = offset
        if timestamps_at >= 0:
            longs[timestamps_at + kept] = wrapped(base_timestamp + time)
        if keys_at >= 0:
            if key_length & 1:
                bits[key_bits_at + (kept >> 3)] &= 255 ^ 1 << (kept & 7)
                null_keys += 1
            else:
                key_bytes += key_length >> 1
            places[3 * kept] = cython.cast(cython.int, key_at)
            ints[keys_at + kept + 1] = cython.cast(cython.int, key_bytes)
        if values_at >= 0:
            if value_length & 1:
                bits[value_bits_at + (kept >> 3)] &= 255 ^ 1 << (kept & 7)
                null_values += 1
            else:
                value_bytes += value_length >> 1
            places[3 * kept + 1] = cython.cast(cython.int, value_at)
            ints[values_at + kept + 1] = cython.cast(cython.int, value_bytes)
        if headers_at >= 0:
            headers += number
            places[3 * kept + 2] = cython.cast(cython.int, header_at)
            ints[headers_at + kept + 1] = cython.cast(cython.int, headers)
        kept += 1
    state[layout.AT_RECORD] = index
    if result < 0:
        return result
    if start != end:
        return layout.BATCH_HAS_MORE
    if kept & 7 and key_bits_at >= 0:
        bits[key_bits_at + (kept >> 3)] &= (1 << (kept & 7)) - 1
    if kept & 7 and value_bits_at >= 0:
        bits[value_bits_at + (kept >> 3)] &= (1 << (kept & 7)) - 1
    if append_time and timestamps_at >= 0:
        time = table[at + layout.MAX_TIMESTAMP]
        for index in range(state[layout.RECORDS], kept):
            longs[timestamps_at + index] = time
    table[at + layout.KEPT] = kept - state[layout.RECORDS]
    state[layout.RECORDS] = kept
    state[layout.KEY_BYTES] = key_bytes
    state[layout.VALUE_BYTES] = value_bytes
    state[layout.HEADERS] = headers
    state[layout.NULL_KEYS] += null_keys
    state[layout.NULL_VALUES] += null_values
    if max(state[layout.HEADER_KEY_BYTES], state[layout.HEADER_VALUE_BYTES]) > _INT32_MAX:
        return layout.TOO_LARGE
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
        if (
            not 0
            <= table[at + layout.COUNT]
            <= (table[at + layout.END] - table[at + layout.START]) // 7
        ):
            return layout.BAD_COUNT
        if table[at + layout.COUNT] > room - state[layout.RECORDS]:
            return layout.NO_ROOM
        if table[at + layout.BASE_OFFSET] >= beyond:
            continue
        if wrapped(table[at + layout.BASE_OFFSET] + table[at + layout.LAST_DELTA]) < lowest:
            continue
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
    """Check every record of some batches of a table and write the fixed-size part of the columns.

    The outputs lie in three blocks, where `state` says (OFFSETS_AT to VALUE_BITS_AT). For room for n
    records, of which state[RECORDS] are taken: offsets and timestamps n longs; keys, values and
    headers n + 1 ints, the ends of each record's part in a column of bytes (or of headers), the
    first one already 0; bits of keys and of values (n + 7) // 8 bytes, validity, least significant
    first. places int32[3 * n] has the positions of a record's key, value and headers in `data`. Only
    records with lowest <= offset < beyond are kept; a batch that has none, by its header, is not
    read.

    Returns 0 or a negative code; state then has the batch at AT_ROW and the record at AT_RECORD.
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
