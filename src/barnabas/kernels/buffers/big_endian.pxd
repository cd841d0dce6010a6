# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Big-endian numbers for the kernels that are compiled; `big_endian.py` is the same for the others.

They are inlined where they are used; a compiler makes one load and one turning of bytes of each.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING


cdef inline unsigned int load32(const unsigned char *from_) noexcept nogil:
    return (
        <unsigned int>from_[0] << 24
        | <unsigned int>from_[1] << 16
        | <unsigned int>from_[2] << 8
        | <unsigned int>from_[3]
    )


cdef inline int int16(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil:
    return <short>(data[at] << 8 | data[at + 1])


cdef inline int int32(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil:
    return <int>load32(&data[at])


cdef inline long long uint32(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil:
    return load32(&data[at])


cdef inline long long int64(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil:
    return <long long>(<unsigned long long>load32(&data[at]) << 32 | load32(&data[at + 4]))


cdef inline int int16_of(bytes data, Py_ssize_t at) noexcept:
    cdef const unsigned char *start = <const unsigned char *>PyBytes_AS_STRING(data) + at
    return <short>(start[0] << 8 | start[1])


cdef inline int int32_of(bytes data, Py_ssize_t at) noexcept:
    return <int>load32(<const unsigned char *>PyBytes_AS_STRING(data) + at)


cdef inline long long int64_of(bytes data, Py_ssize_t at) noexcept:
    cdef const unsigned char *start = <const unsigned char *>PyBytes_AS_STRING(data) + at
    return <long long>(<unsigned long long>load32(start) << 32 | load32(start + 4))


cdef inline void store(unsigned char *to, long long value, int size) noexcept nogil:
    cdef int shift = 8 * size
    while shift > 0:
        shift -= 8
        to[0] = value >> shift & 255
        to += 1


cdef inline void put(
    unsigned char[::1] target, Py_ssize_t at, long long value, int size
) noexcept nogil:
    store(&target[at], value, size)


cdef inline void put_of(bytearray target, Py_ssize_t at, long long value, int size) noexcept:
    store(<unsigned char *>PyByteArray_AS_STRING(target) + at, value, size)
