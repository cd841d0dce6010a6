# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns into the records of magic 2 batches: which rows go together, how large they are, written.

Two passes: `sizes` finds how many rows a batch takes and how many bytes that is, `write` fills exactly
those. Compiled, a row of 100 bytes takes 15 to 20 ns; uncompiled 1.5 to 4.4 us. Source: KIP-98.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.buffers.copies import copy
    from cython.cimports.barnabas.kernels.buffers.varints import put_varint, varint_size, wrapped
    from cython.cimports.cpython.bytearray import PyByteArray_FromStringAndSize
else:
    from barnabas.kernels.buffers.copies import copy
    from barnabas.kernels.buffers.varints import put_varint, varint_size, wrapped

_BAD_COLUMN = cython.declare(cython.int, -1)
_NO_ROOM = cython.declare(cython.int, -2)
_LARGEST = cython.declare(cython.longlong, 2147483647)
_RELEASE = cython.declare(cython.longlong, 50000)


@cython.final
@cython.cclass
class Strings:
    """A column of bytes as Arrow has it; with no `ends`, all rows are null.

    `ends` is int32[n + 1], `bits` a bitmap of validity (least significant first, empty where all
    are valid) in which row 0 is bit `bit_offset`.
    """

    ends: cython.const[cython.int][::1]
    data: cython.const[cython.uchar][::1]
    bits: cython.const[cython.uchar][::1]
    bit_offset: cython.Py_ssize_t

    def __init__(
        self,
        ends: cython.const[cython.int][::1],
        data: cython.const[cython.uchar][::1],
        bits: cython.const[cython.uchar][::1],
        bit_offset: cython.Py_ssize_t,
    ) -> None:
        if len(bits) and (bit_offset < 0 or len(bits) * 8 < bit_offset + len(ends) - 1):
            raise ValueError("the bitmap is shorter than its column")
        self.ends = ends
        self.data = data
        self.bits = bits
        self.bit_offset = bit_offset


@cython.final
@cython.cclass
class Rows:
    """The columns of records to be written. `header_ends` int32[n + 1] may be empty: no headers."""

    key: Strings
    value: Strings
    header_key: Strings
    header_value: Strings
    header_ends: cython.const[cython.int][::1]
    timestamps: cython.const[cython.longlong][::1]

    def __init__(
        self,
        timestamps: cython.const[cython.longlong][::1],
        key: Strings,
        value: Strings,
        header_ends: cython.const[cython.int][::1],
        header_key: Strings,
        header_value: Strings,
    ) -> None:
        rows: cython.Py_ssize_t = len(timestamps)
        for column in (key, value):
            strings: Strings = column
            if len(strings.ends) and len(strings.ends) <= rows:
                raise ValueError("a column is shorter than the timestamps")
        if len(header_ends) and len(header_ends) <= rows:
            raise ValueError("the column of headers is shorter than the timestamps")
        self.timestamps = timestamps
        self.key = key
        self.value = value
        self.header_ends = header_ends
        self.header_key = header_key
        self.header_value = header_value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _length(strings: Strings, row: cython.Py_ssize_t) -> cython.longlong:
    """Bytes of a row: -1 for null, -2 where the column makes no sense."""
    bit: cython.Py_ssize_t
    if len(strings.ends) == 0:
        return -1
    if len(strings.bits):
        bit = strings.bit_offset + row
        if (strings.bits[bit >> 3] >> (bit & 7)) & 1 == 0:
            return -1
    if strings.ends[row] < 0 or strings.ends[row + 1] < strings.ends[row]:
        return -2
    if strings.ends[row + 1] > len(strings.data):
        return -2
    return strings.ends[row + 1] - strings.ends[row]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _headers_size(rows: Rows, row: cython.Py_ssize_t) -> cython.longlong:
    header: cython.Py_ssize_t
    length: cython.longlong
    size: cython.longlong = 0
    first: cython.Py_ssize_t = rows.header_ends[row]
    last: cython.Py_ssize_t = rows.header_ends[row + 1]
    if first < 0 or last < first:
        return _BAD_COLUMN
    if last > first and (last >= len(rows.header_key.ends) or last > _strings(rows.header_value)):
        return _BAD_COLUMN
    size = varint_size(last - first)
    for header in range(first, last):
        length = _length(rows.header_key, header)
        if length < 0:
            return _BAD_COLUMN
        size += length + varint_size(length)
        length = _length(rows.header_value, header)
        if length < -1:
            return _BAD_COLUMN
        size += varint_size(length)
        if length > 0:
            size += length
    return size


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _strings(strings: Strings) -> cython.longlong:
    """Rows of a column; one without ends has as many as one asks for."""
    if len(strings.ends) == 0:
        return _LARGEST
    return len(strings.ends) - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _body_size(
    rows: Rows, row: cython.Py_ssize_t, first_timestamp: cython.longlong, index: cython.longlong
) -> cython.longlong:
    """Bytes of a record behind its length, or a negative code."""
    size: cython.longlong = 1 + varint_size(index)
    size += varint_size(wrapped(rows.timestamps[row] - first_timestamp))
    length: cython.longlong = _length(rows.key, row)
    if length < -1:
        return _BAD_COLUMN
    size += varint_size(length)
    if length > 0:
        size += length
    length = _length(rows.value, row)
    if length < -1:
        return _BAD_COLUMN
    size += varint_size(length)
    if length > 0:
        size += length
    if len(rows.header_ends) == 0:
        return size + 1
    length = _headers_size(rows, row)
    if length < 0:
        return length
    return size + length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sizes(
    rows: Rows,
    order: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    limit: cython.longlong,
    sizes: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.longlong:
    index: cython.Py_ssize_t
    row: cython.Py_ssize_t
    body: cython.longlong
    whole: cython.longlong
    total: cython.longlong = 0
    row_count: cython.Py_ssize_t = len(rows.timestamps)
    if order[first] < 0 or order[first] >= row_count:
        return _BAD_COLUMN
    base: cython.longlong = rows.timestamps[order[first]]
    largest: cython.longlong = base
    for index in range(first, last):
        row = order[index]
        if row < 0 or row >= row_count:
            return _BAD_COLUMN
        body = _body_size(rows, row, base, index - first)
        if body < 0:
            return body
        whole = body + varint_size(body)
        if whole > _LARGEST - total:
            if index == first:
                return _NO_ROOM
            break
        if index > first and whole > limit - total:
            break
        total += whole
        sizes[index] = cython.cast(cython.int, body)
        largest = max(largest, rows.timestamps[row])
    else:
        index = last
    state[0] = total
    state[1] = base
    state[2] = largest
    return index - first


def sizes(
    rows: Rows,
    order: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    limit: cython.longlong,
    sizes: cython.int[::1],
    state: cython.longlong[::1],
) -> cython.longlong:
    """How many of the rows order[first:last] go into one batch with up to `limit` bytes of records.

    At least one does. Fills sizes[first:] with the size of each, and state with the bytes of all,
    the first timestamp and the largest. Returns -1 where a column makes no sense, -2 where a
    record is too large for any batch.
    """
    result: cython.longlong
    if first < 0 or first >= last or last > len(order) or last > len(sizes) or len(state) < 3:
        return _NO_ROOM
    if limit > _RELEASE:
        with cython.nogil:
            result = _sizes(rows, order, first, last, limit, sizes, state)
    else:
        result = _sizes(rows, order, first, last, limit, sizes, state)
    return result


def unwritten(size: cython.Py_ssize_t) -> bytearray:
    """Bytes that may be anything, for `write` and a header: filling them with zeros takes as long."""
    if cython.compiled:
        return PyByteArray_FromStringAndSize(cython.NULL, size)
    return bytearray(size)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put_string(
    target: cython.uchar[::1], at: cython.Py_ssize_t, strings: Strings, row: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Write the length of a row and the row, or -1 for null; as `put_varint`."""
    length: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, _length(strings, row))
    at = put_varint(target, at, length)
    if length > 0 and length <= len(target) - at:
        copy(target, at, strings.data, strings.ends[row], length)
    return at + length if length > 0 else at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write(
    rows: Rows,
    order: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    sizes: cython.int[::1],
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    index: cython.Py_ssize_t
    header: cython.Py_ssize_t
    row: cython.Py_ssize_t
    base: cython.longlong = rows.timestamps[order[first]]
    for index in range(first, last):
        row = order[index]
        at = put_varint(target, at, sizes[index])
        if sizes[index] > len(target) - at:
            return _NO_ROOM
        target[at] = 0
        at = put_varint(target, at + 1, wrapped(rows.timestamps[row] - base))
        at = put_varint(target, at, index - first)
        at = _put_string(target, at, rows.key, row)
        at = _put_string(target, at, rows.value, row)
        if len(rows.header_ends) == 0:
            at = put_varint(target, at, 0)
            continue
        at = put_varint(target, at, rows.header_ends[row + 1] - rows.header_ends[row])
        for header in range(rows.header_ends[row], rows.header_ends[row + 1]):
            at = _put_string(target, at, rows.header_key, header)
            at = _put_string(target, at, rows.header_value, header)
    return at


def write(
    rows: Rows,
    order: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    sizes: cython.int[::1],
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the rows order[first:last], which `sizes` has measured, as records from target[at] on.

    Returns where the records end, which is the end of `target` if that has the size `sizes` returned;
    -2 where it does not.
    """
    result: cython.Py_ssize_t
    if first < 0 or first >= last or last > len(order) or last > len(sizes) or at < 0:
        return _NO_ROOM
    if len(target) > _RELEASE:
        with cython.nogil:
            result = _write(rows, order, first, last, sizes, target, at)
    else:
        result = _write(rows, order, first, last, sizes, target, at)
    return result if result == len(target) else _NO_ROOM
