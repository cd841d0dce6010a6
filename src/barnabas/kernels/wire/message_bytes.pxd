# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The bytes of a message, read one after the other, and what its objects may still cost (`spare`).

For the kernels that are compiled. ValueError for whatever is left to generated Python.
"""

from barnabas.kernels.buffers.big_endian cimport load32
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy


cdef struct Source:
    const unsigned char *data
    Py_ssize_t at
    Py_ssize_t end
    long long spare


cdef inline long long varint(Source *source) except -1:
    cdef long long value = 0
    cdef int shift = 0
    cdef int byte = 128
    while byte >= 128:
        if source.at >= source.end or shift > 28:
            raise ValueError
        byte = source.data[source.at]
        source.at += 1
        value |= <long long>(byte & 127) << shift
        shift += 7
    if value > 0xFFFFFFFF:
        raise ValueError
    return value


cdef inline long long length_of(Source *source, int size) except -2:
    """A length of so many bytes; -1 for null."""
    cdef long long length
    if size == 0:
        return varint(source) - 1
    if source.end - source.at < size:
        raise ValueError
    if size == 4:
        length = <int>load32(source.data + source.at)
    else:
        length = <short>(source.data[source.at] << 8 | source.data[source.at + 1])
    source.at += size
    if length < -1:
        raise ValueError
    return length


cdef inline object fixed(Source *source, unsigned char kind, Py_ssize_t size):
    """A value of fixed size, by its code of the struct module."""
    cdef const unsigned char *start = source.data + source.at
    cdef unsigned long long high
    cdef double real
    if source.end - source.at < size:
        raise ValueError
    source.at += size
    if kind == c"i":
        return <int>load32(start)
    if kind == c"h":
        return <short>(start[0] << 8 | start[1])
    if kind == c"?":
        return start[0] != 0
    if kind == c"b":
        return <signed char>start[0]
    if kind == c"H":
        return start[0] << 8 | start[1]
    if kind == c"I":
        return load32(start)
    if kind == c"s":
        return PyBytes_FromStringAndSize(<char *>start, 16)
    high = load32(start)
    high = high << 32 | load32(start + 4)
    if kind == c"q":
        return <long long>high
    if kind == c"d":
        memcpy(&real, &high, 8)
        return real
    raise ValueError
