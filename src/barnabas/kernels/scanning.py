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
    sums: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Go over `count` headers up to `end`, adding their sizes to `sums`; a negative code where bad."""
    length: cython.int
    while count > 0:
        position, length = _varint(data, position, end)
        if position < 0:
            return _BAD_VARINT
        if length < 0 or length > end - position:
            return _BAD_HEADER_LENGTH
        position += length
        sums[_HEADER_KEY_BYTES] += length
        position, length = _varint(data, position, end)
        if position < 0:
            return _BAD_VARINT
        if length > end - position:
            return _BAD_HEADER_LENGTH
        if length > 0:
            position += length
            sums[_HEADER_VALUE_BYTES] += length
        elif length < 0:
            sums[_NULL_HEADER_VALUES] += 1
        count -= 1
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    offsets: cython.longlong[::1],
    timestamps: cython.longlong[::1],
    keys: cython.int[::1],
    key_bits: cython.uchar[::1],
    values: cython.int[::1],
    value_bits: cython.uchar[::1],
    headers: cython.int[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Scan one batch; see `scan`."""
    at: cython.Py_ssize_t = row * _WIDTH
    position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + _START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + _END])
    base_offset: cython.longlong = table[at + _BASE_OFFSET]
    base_timestamp: cython.longlong = table[at + _BASE_TIMESTAMP]
    append_time: cython.bint = table[at + _ATTRIBUTES] & 8 != 0
    records: cython.longlong = table[at + _COUNT]
    want_keys: cython.bint = len(keys) > 0
    want_values: cython.bint = len(values) > 0
    want_headers: cython.bint = len(headers) > 0
    want_offsets: cython.bint = len(offsets) > 0
    want_timestamps: cython.bint = len(timestamps) > 0
    kept: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[_RECORDS])
    first: cython.Py_ssize_t = kept
    key_bytes: cython.longlong = state[_KEY_BYTES]
    value_bytes: cython.longlong = state[_VALUE_BYTES]
    header_count: cython.longlong = state[_HEADERS]
    header_key_bytes: cython.longlong
    header_value_bytes: cython.longlong
    null_header_values: cython.longlong
    index: cython.longlong
    record_end: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    headers_at: cython.Py_ssize_t
    length: cython.int
    key_length: cython.int
    value_length: cython.int
    number: cython.int
    delta: cython.int
    time: cython.longlong
    offset: cython.longlong
    for index in range(records):
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
        headers_at = position
        offset = _wrapped(base_offset + delta)
        if number > 0:
            header_key_bytes = state[_HEADER_KEY_BYTES]
            header_value_bytes = state[_HEADER_VALUE_BYTES]
            null_header_values = state[_NULL_HEADER_VALUES]
            position = _headers_end(data, position, record_end, number, state)
            if position < 0:
                return cython.cast(cython.int, position)
            if offset < lowest or offset >= beyond:
                state[_HEADER_KEY_BYTES] = header_key_bytes
                state[_HEADER_VALUE_BYTES] = header_value_bytes
                state[_NULL_HEADER_VALUES] = null_header_values
        if position != record_end:
            return _RECORD_HAS_MORE
        if offset < lowest or offset >= beyond:
            continue
        if want_offsets:
            offsets[kept] = offset
        if want_timestamps:
            if append_time:
                timestamps[kept] = table[at + _MAX_TIMESTAMP]
            else:
                timestamps[kept] = _wrapped(base_timestamp + time)
        if want_keys:
            if kept & 7 == 0:
                key_bits[kept >> 3] = 0
            if key_length >= 0:
                key_bits[kept >> 3] |= 1 << (kept & 7)
                key_bytes += key_length
                if key_bytes > _INT32_MAX:
                    return _TOO_LARGE
            else:
                state[_NULL_KEYS] += 1
            places[3 * kept] = cython.cast(cython.int, key_at)
            keys[kept + 1] = cython.cast(cython.int, key_bytes)
        if want_values:
            if kept & 7 == 0:
                value_bits[kept >> 3] = 0
            if value_length >= 0:
                value_bits[kept >> 3] |= 1 << (kept & 7)
                value_bytes += value_length
                if value_bytes > _INT32_MAX:
                    return _TOO_LARGE
            else:
                state[_NULL_VALUES] += 1
            places[3 * kept + 1] = cython.cast(cython.int, value_at)
            values[kept + 1] = cython.cast(cython.int, value_bytes)
        if want_headers:
            header_count += number
            if header_count > _INT32_MAX:
                return _TOO_LARGE
            places[3 * kept + 2] = cython.cast(cython.int, headers_at)
            headers[kept + 1] = cython.cast(cython.int, header_count)
        kept += 1
    if position != end:
        return _BATCH_HAS_MORE
    table[at + _KEPT] = kept - first
    state[_RECORDS] = kept
    state[_KEY_BYTES] = key_bytes
    state[_VALUE_BYTES] = value_bytes
    state[_HEADERS] = header_count
    if want_headers and (
        state[_HEADER_KEY_BYTES] > _INT32_MAX or state[_HEADER_VALUE_BYTES] > _INT32_MAX
    ):
        return _TOO_LARGE
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
    offsets: cython.longlong[::1],
    timestamps: cython.longlong[::1],
    keys: cython.int[::1],
    key_bits: cython.uchar[::1],
    values: cython.int[::1],
    value_bits: cython.uchar[::1],
    headers: cython.int[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    row: cython.Py_ssize_t
    base: cython.longlong
    result: cython.int
    for row in range(first_row, end_row):
        base = table[row * _WIDTH + _BASE_OFFSET]
        table[row * _WIDTH + _KEPT] = 0
        if base >= beyond or _wrapped(base + table[row * _WIDTH + _LAST_DELTA]) < lowest:
            continue
        result = _scan(
            data,
            table,
            row,
            lowest,
            beyond,
            offsets,
            timestamps,
            keys,
            key_bits,
            values,
            value_bits,
            headers,
            places,
            state,
        )
        if result < 0:
            state[_AT_ROW] = row
            return result
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def _rows_fit(
    size: cython.longlong,
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end_row: cython.Py_ssize_t,
) -> cython.longlong:
    """Records in these rows, or a negative code where a row does not lie in a buffer of `size`."""
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    records: cython.longlong = 0
    if first_row < 0 or end_row > len(table) // _WIDTH or size > _INT32_MAX:
        return _NO_ROOM
    for row in range(first_row, end_row):
        at = row * _WIDTH
        if table[at + _START] < 0 or table[at + _START] > table[at + _END]:
            return _NO_ROOM
        if table[at + _END] > size:
            return _NO_ROOM
        if (
            table[at + _COUNT] < 0
            or table[at + _COUNT] > (table[at + _END] - table[at + _START]) // 7
        ):
            return _BAD_COUNT
        records += table[at + _COUNT]
    return records


def scan(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end_row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    offsets: cython.longlong[::1],
    timestamps: cython.longlong[::1],
    keys: cython.int[::1],
    key_bits: cython.uchar[::1],
    values: cython.int[::1],
    value_bits: cython.uchar[::1],
    headers: cython.int[::1],
    places: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Check every record of some batches of a table and write the fixed-size part of the columns.

    Shapes, for room for n records, of which state[RECORDS] are taken: offsets and timestamps int64[n];
    keys, values and headers int32[n + 1], the ends of each record's part in a column of bytes (or
    of headers), the first one already 0; bits uint8[(n + 7) // 8], validity, least significant
    first; places int32[3 * n], where key, value and headers of a record are in `data`. What is
    empty is not wanted. Only records with lowest <= offset < beyond are kept; a batch that holds
    none, by its header, is not looked into.

    Returns 0 or a negative code; state then has the batch at AT_ROW and the record at AT_RECORD.
    """
    result: cython.int
    room: cython.longlong = _rows_fit(len(data), table, first_row, end_row)
    if room < 0:
        return cython.cast(cython.int, room)
    room += state[_RECORDS]
    if (
        (len(offsets) and len(offsets) < room)
        or (len(timestamps) and len(timestamps) < room)
        or (len(keys) and (len(keys) <= room or len(key_bits) < (room + 7) // 8))
        or (len(values) and (len(values) <= room or len(value_bits) < (room + 7) // 8))
        or (len(headers) and len(headers) <= room)
        or ((len(keys) or len(values) or len(headers)) and len(places) < 3 * room)
    ):
        return _NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _scan_rows(
                data,
                table,
                first_row,
                end_row,
                lowest,
                beyond,
                offsets,
                timestamps,
                keys,
                key_bits,
                values,
                value_bits,
                headers,
                places,
                state,
            )
    else:
        result = _scan_rows(
            data,
            table,
            first_row,
            end_row,
            lowest,
            beyond,
            offsets,
            timestamps,
            keys,
            key_bits,
            values,
            value_bits,
            headers,
            places,
            state,
        )
    return result
