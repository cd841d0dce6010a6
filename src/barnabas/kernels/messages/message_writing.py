# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns into uncompressed messages of magic 0 or 1, each with its CRC.

Compiled, a message of 100 bytes takes about 70 ns, of which its CRC is 50; uncompiled 3 us. Source:
seeds 002 and 003 "Message format", KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import put
    from cython.cimports.barnabas.kernels.buffers.copies import copy
    from cython.cimports.barnabas.kernels.buffers.crc32 import crc32
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import put
    from barnabas.kernels.buffers.copies import copy
    from barnabas.kernels.buffers.crc32 import crc32

_TABLES = cython.declare(cython.int, 2048)
_RELEASE = cython.declare(cython.Py_ssize_t, 500)
"""Messages from which giving the GIL away pays."""


@cython.final
@cython.cclass
class Messages:
    """The columns of n messages: offsets and timestamps int64[n].

    Keys and values are (ends int32[n + 1], data, validity bits, none where no item is null).
    """

    offsets: cython.const[cython.longlong][::1]
    timestamps: cython.const[cython.longlong][::1]
    key_ends: cython.const[cython.int][::1]
    keys: cython.const[cython.uchar][::1]
    key_bits: cython.const[cython.uchar][::1]
    value_ends: cython.const[cython.int][::1]
    values: cython.const[cython.uchar][::1]
    value_bits: cython.const[cython.uchar][::1]

    def __init__(
        self,
        offsets: cython.const[cython.longlong][::1],
        timestamps: cython.const[cython.longlong][::1],
        key: tuple,
        value: tuple,
    ) -> None:
        self.offsets = offsets
        self.timestamps = timestamps
        self.key_ends, self.keys, self.key_bits = key
        self.value_ends, self.values, self.value_bits = value
        count: cython.Py_ssize_t = len(offsets)
        if len(timestamps) < count:
            raise ValueError("there are fewer timestamps than offsets")
        if len(self.key_ends) <= count or len(self.value_ends) <= count:
            raise ValueError("a column is shorter than the offsets")
        if len(self.key_bits) and len(self.key_bits) < (count + 7) // 8:
            raise ValueError("the bitmap of the keys is shorter than its column")
        if len(self.value_bits) and len(self.value_bits) < (count + 7) // 8:
            raise ValueError("the bitmap of the values is shorter than its column")


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put_bytes(
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
    ends: cython.const[cython.int][::1],
    data: cython.const[cython.uchar][::1],
    bits: cython.const[cython.uchar][::1],
    row: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write a length and bytes, -1 alone for null; returns where it goes on, -15 without room."""
    start: cython.Py_ssize_t = ends[row]
    length: cython.Py_ssize_t = ends[row + 1] - start
    if start < 0 or length < 0 or length > len(data) - start or length > len(target) - at - 4:
        return layout.NO_ROOM
    if len(bits) and (bits[row >> 3] >> (row & 7)) & 1 == 0:
        put(target, at, -1, 4)
        return at + 4
    put(target, at, length, 4)
    at += 4
    copy(target, at, data, start, length)
    return at + length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write(
    messages: Messages,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    magic: cython.int,
    attributes: cython.int,
    shift: cython.longlong,
    tables: cython.uint[::1],
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t
    start: cython.Py_ssize_t
    for row in range(first, last):
        start = at
        if len(target) - at < 26 + 8 * magic:
            return layout.NO_ROOM
        put(target, start, messages.offsets[row] + shift, 8)
        target[start + 16] = cython.cast(cython.uchar, magic)
        target[start + 17] = cython.cast(cython.uchar, attributes)
        at = start + 18
        if magic == 1:
            put(target, at, messages.timestamps[row], 8)
            at += 8
        at = _put_bytes(target, at, messages.key_ends, messages.keys, messages.key_bits, row)
        if at < 0 or len(target) - at < 4:
            return layout.NO_ROOM
        at = _put_bytes(target, at, messages.value_ends, messages.values, messages.value_bits, row)
        if at < 0:
            return layout.NO_ROOM
        put(target, start + 8, at - start - 12, 4)
        put(target, start + 12, crc32(target, start + 16, at, tables), 4)
    return at


def write(
    messages: Messages,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    magic: cython.int,
    attributes: cython.int,
    shift: cython.longlong,
    tables: cython.uint[::1],
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the messages [first, last) into `target` from `at` on, `shift` added to each offset.

    `tables` are those that `message_rows.fill` fills. Returns the position behind the last one, or a
    negative code where there is no room or a column makes no sense.
    """
    result: cython.Py_ssize_t
    if first < 0 or first > last or last > len(messages.offsets) or at < 0 or at > len(target):
        return layout.NO_ROOM
    if len(tables) != _TABLES or magic < 0 or magic > 1:
        return layout.NO_ROOM
    if last - first > _RELEASE:
        with cython.nogil:
            result = _write(messages, first, last, magic, attributes, shift, tables, target, at)
    else:
        result = _write(messages, first, last, magic, attributes, shift, tables, target, at)
    return result
