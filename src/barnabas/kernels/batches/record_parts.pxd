# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Parts of a magic 2 record for the kernels that are compiled; `record_parts.py` is the same for others.

They are inlined where they are used.
"""

from barnabas.kernels cimport layout
from barnabas.kernels.buffers.varints cimport raw, varint, varlong


cdef inline (
    int, Py_ssize_t, long long, int, Py_ssize_t, unsigned int, Py_ssize_t, unsigned int
) parts(const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end) noexcept nogil:
    cdef bint bad
    cdef long long time
    cdef int delta
    cdef unsigned int key_length
    cdef unsigned int value_length
    cdef Py_ssize_t key_at
    cdef Py_ssize_t value_at
    bad, position, time = varlong(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    bad, position, delta = varint(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    bad, position, key_length = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    key_at = position
    if key_length & 1 == 0:
        if key_length >> 1 > end - position:
            return layout.BAD_KEY_LENGTH, 0, 0, 0, 0, 0, 0, 0
        position += key_length >> 1
    bad, position, value_length = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    value_at = position
    if value_length & 1 == 0:
        if value_length >> 1 > end - position:
            return layout.BAD_VALUE_LENGTH, 0, 0, 0, 0, 0, 0, 0
        position += value_length >> 1
    return 0, position, time, delta, key_at, key_length, value_at, value_length


cdef inline (int, Py_ssize_t, unsigned int) header_count(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef bint bad
    cdef unsigned int number
    bad, position, number = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0
    if number & 1 or number >> 1 > end - position:
        return layout.BAD_HEADER_COUNT, 0, 0
    return 0, position, number >> 1
