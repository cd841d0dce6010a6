# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The data of each record that compaction needs: the hash of its key, offset, timestamp, nulls.

The hash is SipHash-2-4 of 128 bits under a secret, so that nobody can construct two keys with the same hash.
Records lie uncompressed. Compiled, a record with a key of 14 bytes takes about 60 ns; uncompiled 30 us.
Sources: KIP-98; Aumasson and Bernstein, "SipHash".
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.batches.record_parts import parts
    from cython.cimports.barnabas.kernels.buffers.varints import varint, wrapped
else:
    from barnabas.kernels import layout
    from barnabas.kernels.batches.record_parts import parts
    from barnabas.kernels.buffers.varints import varint, wrapped

_RELEASE = cython.declare(cython.Py_ssize_t, 50000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _u64(value: cython.ulonglong) -> cython.ulonglong:
    """The 64 bits of a sum or shift, as C has them."""
    if cython.compiled:
        return value
    return value & ((1 << 64) - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _turned(value: cython.ulonglong, by: cython.int) -> cython.ulonglong:
    return _u64(value << by) | (value >> (64 - by))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _round(
    a: cython.ulonglong, b: cython.ulonglong, c: cython.ulonglong, d: cython.ulonglong
) -> tuple[cython.ulonglong, cython.ulonglong, cython.ulonglong, cython.ulonglong]:
    a = _u64(a + b)
    b = _turned(b, 13) ^ a
    a = _turned(a, 32)
    c = _u64(c + d)
    d = _turned(d, 16) ^ c
    a = _u64(a + d)
    d = _turned(d, 21) ^ a
    c = _u64(c + b)
    b = _turned(b, 17) ^ c
    c = _turned(c, 32)
    return a, b, c, d


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _word(
    data: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, count: cython.Py_ssize_t
) -> cython.ulonglong:
    """Up to eight bytes, little-endian."""
    word: cython.ulonglong = 0
    index: cython.Py_ssize_t
    for index in range(count):
        word |= cython.cast(cython.ulonglong, data[at + index]) << (8 * index)
    return word


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _siphash(
    data: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    key0: cython.ulonglong,
    key1: cython.ulonglong,
) -> tuple[cython.ulonglong, cython.ulonglong]:
    # The constants spell "somepseudorandomlygeneratedbytes"; in halves, for the lack of wide literals.
    a: cython.ulonglong = key0 ^ (cython.cast(cython.ulonglong, 0x736F6D65) << 32 | 0x70736575)
    b: cython.ulonglong = key1 ^ (cython.cast(cython.ulonglong, 0x646F7261) << 32 | 0x6E646F6D)
    c: cython.ulonglong = key0 ^ (cython.cast(cython.ulonglong, 0x6C796765) << 32 | 0x6E657261)
    d: cython.ulonglong = key1 ^ (cython.cast(cython.ulonglong, 0x74656462) << 32 | 0x79746573)
    word: cython.ulonglong
    first: cython.ulonglong
    left: cython.Py_ssize_t = length
    b ^= 0xEE
    while left >= 8:
        word = _word(data, at, 8)
        d ^= word
        a, b, c, d = _round(a, b, c, d)
        a, b, c, d = _round(a, b, c, d)
        a ^= word
        at += 8
        left -= 8
    word = _word(data, at, left) | cython.cast(cython.ulonglong, length & 255) << 56
    d ^= word
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a ^= word
    c ^= 0xEE
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    first = a ^ b ^ c ^ d
    b ^= 0xDD
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    a, b, c, d = _round(a, b, c, d)
    return first, a ^ b ^ c ^ d


def siphash(
    data: cython.const[cython.uchar][::1], key0: cython.ulonglong, key1: cython.ulonglong
) -> tuple[int, int]:
    """SipHash-2-4 of a whole buffer: the two halves of its 128 bits."""
    return _siphash(data, 0, len(data), key0, key1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    key0: cython.ulonglong,
    key1: cython.ulonglong,
    hashes: cython.ulonglong[::1],
    places: cython.longlong[::1],
    nulls: cython.uchar[::1],
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    index: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t
    end: cython.Py_ssize_t
    record_end: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    _value_at: cython.Py_ssize_t
    time: cython.longlong
    delta: cython.int
    bad: cython.bint
    code: cython.int
    length: cython.int
    # doubled and odd where null, as they are stored
    key_length: cython.uint
    value_length: cython.uint
    for row in range(first, last):
        at = row * layout.WIDTH
        position = cython.cast(cython.Py_ssize_t, table[at + layout.START])
        end = cython.cast(cython.Py_ssize_t, table[at + layout.END])
        if end > len(data) or position < 0 or position > end:
            return layout.BAD_COUNT
        if table[at + layout.COUNT] > len(nulls) - index:
            return layout.NO_ROOM
        for _ in range(table[at + layout.COUNT]):
            bad, position, length = varint(data, position, end)
            if bad:
                return layout.TOO_FEW_RECORDS
            if length < 1 or length > end - position:
                return layout.BAD_RECORD_LENGTH
            record_end = position + length
            code, position, time, delta, key_at, key_length, _value_at, value_length = parts(
                data, position + 1, record_end
            )
            if code < 0:
                return code
            nulls[index] = 0
            if value_length & 1 == 0:
                nulls[index] = layout.HAS_VALUE
            if key_length & 1 == 0:
                nulls[index] |= layout.HAS_KEY
                hashes[2 * index], hashes[2 * index + 1] = _siphash(
                    data, key_at, key_length >> 1, key0, key1
                )
            position = record_end
            places[2 * index] = wrapped(table[at + layout.BASE_OFFSET] + delta)
            places[2 * index + 1] = wrapped(table[at + layout.BASE_TIMESTAMP] + time)
            index += 1
        if position != end:
            return layout.BATCH_HAS_MORE
    return index


def look(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    key0: cython.ulonglong,
    key1: cython.ulonglong,
    hashes: cython.ulonglong[::1],
    places: cython.longlong[::1],
    nulls: cython.uchar[::1],
) -> cython.Py_ssize_t:
    """Look at all records of rows [first, last).

    Each gets two of `hashes` (of its key, left alone where that is null), offset and timestamp in
    `places`, and the bits HAS_KEY and HAS_VALUE in `nulls`. Returns how many or a negative code.
    """
    result: cython.Py_ssize_t
    if first < 0 or last > len(table) // layout.WIDTH:
        return layout.NO_ROOM
    if len(hashes) < 2 * len(nulls) or len(places) < 2 * len(nulls):
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _look(data, table, first, last, key0, key1, hashes, places, nulls)
    else:
        result = _look(data, table, first, last, key0, key1, hashes, places, nulls)
    return result
