# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Zigzag varints for the kernels that are compiled; `varints.py` is the same for those that are not.

They are inlined where they are used. One and two bytes, which nearly all are, come first.
"""


cdef inline (bint, Py_ssize_t, unsigned int) raw(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef unsigned int byte
    cdef unsigned int second
    if position >= end:
        return True, 0, 0
    byte = data[position]
    if byte < 128:
        return False, position + 1, byte
    if position + 1 >= end:
        return True, 0, 0
    second = data[position + 1]
    if second < 128:
        return False, position + 2, (byte & 127) | second << 7
    return long_raw(&data[0], position, end)


cdef inline (bint, Py_ssize_t, unsigned int) long_raw(
    const unsigned char *data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    """What has three bytes or more."""
    cdef unsigned int whole = (data[position] & 127) | (data[position + 1] & 127) << 7
    cdef unsigned int byte
    cdef int shift = 14
    position += 2
    while position < end:
        byte = data[position]
        position += 1
        if shift == 28 and byte > 15:
            return True, 0, 0
        whole |= (byte & 127) << shift
        if byte < 128:
            return False, position, whole
        shift += 7
    return True, 0, 0


cdef inline (bint, Py_ssize_t, int) varint(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef bint bad
    cdef unsigned int whole
    bad, position, whole = raw(data, position, end)
    return bad, position, <int>(whole >> 1) ^ -<int>(whole & 1)


cdef inline (bint, Py_ssize_t, long long) varlong(
    const unsigned char[::1] data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    cdef unsigned int byte
    cdef unsigned int second
    if position >= end:
        return True, 0, 0
    byte = data[position]
    if byte < 128:
        return False, position + 1, <int>(byte >> 1) ^ -<int>(byte & 1)
    if position + 1 >= end:
        return True, 0, 0
    second = data[position + 1]
    if second < 128:
        byte = (byte & 127) | second << 7
        return False, position + 2, <int>(byte >> 1) ^ -<int>(byte & 1)
    return long_varlong(&data[0], position, end)


cdef inline (bint, Py_ssize_t, long long) long_varlong(
    const unsigned char *data, Py_ssize_t position, Py_ssize_t end
) noexcept nogil:
    """What has three bytes or more."""
    cdef unsigned long long raw = (data[position] & 127) | (data[position + 1] & 127) << 7
    cdef unsigned int byte
    cdef int shift = 14
    position += 2
    while position < end:
        byte = data[position]
        position += 1
        if shift == 63 and byte > 1:
            return True, 0, 0
        raw |= <unsigned long long>(byte & 127) << shift
        if byte < 128:
            return False, position, <long long>(raw >> 1) ^ -<long long>(raw & 1)
        shift += 7
    return True, 0, 0


cdef inline long long wrapped(long long value) noexcept nogil:
    return value


cdef inline unsigned long long zigzag(long long value) noexcept nogil:
    return <unsigned long long>((value << 1) ^ (value >> 63))


cdef inline int varint_size(long long value) noexcept nogil:
    cdef unsigned long long whole = zigzag(value)
    cdef int size = 2
    if whole < 128:
        return 1
    while whole >= 16384:
        whole >>= 7
        size += 1
    return size


cdef inline Py_ssize_t put_varint(
    unsigned char[::1] target, Py_ssize_t at, long long value
) noexcept nogil:
    cdef unsigned long long whole = zigzag(value)
    if whole < 128 and at < len(target):
        target[at] = whole & 127
        return at + 1
    if whole < 16384 and at < len(target) - 1:
        target[at] = whole & 127 | 128
        target[at + 1] = whole >> 7 & 127
        return at + 2
    while whole >= 128 and at < len(target):
        target[at] = whole & 127 | 128
        at += 1
        whole >>= 7
    if at < len(target):
        target[at] = whole & 127
    return at + 1
