# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Keys, values and headers that `scanning` has found, copied into columns.

It trusts the lengths that a scan has checked, but never more than the room there is. Compiled, copying
a value of 100 bytes takes about 4 ns. Source: KIP-98.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.copies import copy
    from cython.cimports.barnabas.kernels.buffers.varints import varint
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.copies import copy
    from barnabas.kernels.buffers.varints import varint

_RELEASE = cython.declare(cython.Py_ssize_t, 50000)
"""Bytes from which giving the GIL away pays; below, two threads only disturb each other."""

_MOST_MS = cython.declare(cython.longlong, (2**63 - 1) // 1000)
"""The latest time in milliseconds that fits into 64 bits of microseconds: the year 294247."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather(
    data: cython.const[cython.uchar][::1],
    which: cython.int,
    places: cython.int[::1],
    ends: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    target: cython.uchar[::1],
) -> cython.int:
    size: cython.Py_ssize_t = len(data)
    room: cython.Py_ssize_t = len(target)
    record: cython.Py_ssize_t
    place: cython.Py_ssize_t
    to: cython.Py_ssize_t
    length: cython.Py_ssize_t
    for record in range(first, last):
        to = ends[record]
        length = ends[record + 1] - to
        place = places[3 * record + which]
        if length > 0:
            if length > size - place or length > room - to:
                return layout.NO_ROOM
            copy(target, to, data, place, length)
    return 0


def gather(
    data: cython.const[cython.uchar][::1],
    which: cython.int,
    places: cython.int[::1],
    ends: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    target: cython.uchar[::1],
) -> cython.int:
    """Copy the keys (`which` 0) or values (1) of the records [first, last) of a scan into a column.

    Shapes as `scan` left them; target uint8[ends[last]]. Returns 0 or a negative code.
    """
    result: cython.int
    if first < 0 or last >= len(ends) or len(places) < 3 * last:
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _gather(data, which, places, ends, first, last, target)
    else:
        result = _gather(data, which, places, ends, first, last, target)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather_headers(
    data: cython.const[cython.uchar][::1],
    places: cython.int[::1],
    ends: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    key_ends: cython.int[::1],
    keys: cython.uchar[::1],
    value_ends: cython.int[::1],
    value_bits: cython.uchar[::1],
    values: cython.uchar[::1],
    state: cython.longlong[::1],
) -> cython.int:
    size: cython.Py_ssize_t = len(data)
    record: cython.Py_ssize_t
    position: cython.Py_ssize_t
    header: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.HEADERS])
    key_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.HEADER_KEY_BYTES])
    value_at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state[layout.HEADER_VALUE_BYTES])
    key_room: cython.Py_ssize_t = len(keys)
    value_room: cython.Py_ssize_t = len(values)
    bad: cython.bint
    length: cython.int
    for record in range(first, last):
        position = places[3 * record + 2]
        while header < ends[record + 1]:
            bad, position, length = varint(data, position, size)
            if bad or length < 0 or length > size - position or length > key_room - key_at:
                return layout.NO_ROOM
            if length > 0:
                copy(keys, key_at, data, position, length)
            position += length
            key_at += length
            key_ends[header + 1] = cython.cast(cython.int, key_at)
            bad, position, length = varint(data, position, size)
            if bad or length > size - position or length > value_room - value_at:
                return layout.NO_ROOM
            if header & 7 == 0:
                value_bits[header >> 3] = 0
            if length >= 0:
                value_bits[header >> 3] |= 1 << (header & 7)
            if length > 0:
                copy(values, value_at, data, position, length)
                position += length
                value_at += length
            value_ends[header + 1] = cython.cast(cython.int, value_at)
            header += 1
    state[layout.HEADERS] = header
    state[layout.HEADER_KEY_BYTES] = key_at
    state[layout.HEADER_VALUE_BYTES] = value_at
    return 0


def gather_headers(
    data: cython.const[cython.uchar][::1],
    places: cython.int[::1],
    ends: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    key_ends: cython.int[::1],
    keys: cython.uchar[::1],
    value_ends: cython.int[::1],
    value_bits: cython.uchar[::1],
    values: cython.uchar[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Copy the headers of the records [first, last) of a scan into four columns.

    Shapes, for h headers in all: key_ends and value_ends int32[h + 1], the first one already 0;
    keys and values as many bytes as the scan counted; value_bits uint8[(h + 7) // 8]. `state` is
    this pass's own, zero before the first call. Returns 0 or a negative code.
    """
    result: cython.int
    if first < 0 or last >= len(ends) or len(places) < 3 * last:
        return layout.NO_ROOM
    if len(key_ends) <= ends[last] or len(value_ends) <= ends[last]:
        return layout.NO_ROOM
    if len(value_bits) < (ends[last] + 7) // 8:
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _gather_headers(
                data,
                places,
                ends,
                first,
                last,
                key_ends,
                keys,
                value_ends,
                value_bits,
                values,
                state,
            )
    else:
        result = _gather_headers(
            data, places, ends, first, last, key_ends, keys, value_ends, value_bits, values, state
        )
    return result


def microseconds(
    source: cython.const[cython.longlong][::1], target: cython.longlong[::1]
) -> cython.bint:
    """Milliseconds into microseconds, both int64[n]; whether all fit into 64 bits. Others wrap."""
    at: cython.Py_ssize_t
    beyond: cython.bint = False
    for at in range(min(len(source), len(target))):
        beyond |= (source[at] > _MOST_MS) | (source[at] < -_MOST_MS)
        if cython.compiled:
            target[at] = source[at] * 1000
        else:
            target[at] = ((source[at] * 1000 + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)
    return not beyond


def is_ascii(data: cython.const[cython.uchar][::1]) -> cython.bint:
    """Whether no byte is over 127."""
    at: cython.Py_ssize_t
    seen: cython.uchar = 0
    for at in range(len(data)):
        seen |= data[at]
    return seen < 128
