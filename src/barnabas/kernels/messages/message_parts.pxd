# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Messages of magic 0 and 1 for the kernels that are compiled; `messages.py` is the same for the others.

They are inlined where they are used.
"""

from barnabas.kernels cimport layout
from barnabas.kernels.buffers.big_endian cimport int32


cdef inline Py_ssize_t message_size(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef int magic
    cdef Py_ssize_t length
    if end - position < 17:
        return 0
    magic = data[position + 16]
    if magic > 1:
        return 0
    length = int32(data, position + 8)
    if length < 14 + 8 * magic:
        return layout.BAD_MESSAGE_LENGTH
    if length > end - position - 12:
        return 0
    return length + 12


cdef inline (int, Py_ssize_t, int, Py_ssize_t, int) places(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef Py_ssize_t key_at = position + 22 + 8 * data[position + 16]
    cdef int key_length = int32(data, key_at - 4)
    cdef Py_ssize_t value_at = key_at + 4
    cdef int value_length
    if key_length > 0:
        if key_length > end - value_at:
            return layout.BAD_KEY_LENGTH, 0, 0, 0, 0
        value_at += key_length
    value_length = int32(data, value_at - 4)
    if value_length > end - value_at:
        return layout.BAD_VALUE_LENGTH, 0, 0, 0, 0
    if value_at + max(value_length, 0) != end:
        return layout.MESSAGE_HAS_MORE, 0, 0, 0, 0
    return 0, key_at, key_length, value_at, value_length


cdef inline (Py_ssize_t, Py_ssize_t, int, Py_ssize_t, int) read(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end, int magic
) noexcept nogil:
    cdef Py_ssize_t size = message_size(data, position, end)
    cdef int code
    cdef Py_ssize_t key_at
    cdef int key_length
    cdef Py_ssize_t value_at
    cdef int value_length
    if size <= 0:
        return layout.BAD_MESSAGE_LENGTH, 0, 0, 0, 0
    if data[position + 17] & 7 != 0:
        return layout.NESTED, 0, 0, 0, 0
    if data[position + 16] != magic:
        return layout.NO_ROOM, 0, 0, 0, 0
    code, key_at, key_length, value_at, value_length = places(data, position, position + size)
    if code < 0:
        return code, 0, 0, 0, 0
    return position + size, key_at, key_length, value_at, value_length
