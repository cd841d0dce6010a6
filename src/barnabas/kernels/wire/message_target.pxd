# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Where the bytes of a message are written, one behind the other: as much room as it takes.

For the kernels that are compiled. ValueError for whatever is left to generated Python.
"""

from barnabas.kernels.buffers.big_endian cimport store
from cpython.mem cimport PyMem_Malloc, PyMem_Realloc
from libc.string cimport memcpy


cdef struct Target:
    unsigned char *data
    Py_ssize_t at
    Py_ssize_t room
    bint owned


cdef inline unsigned char *more(Target *target, Py_ssize_t size) except NULL:
    """Where the next `size` bytes go."""
    cdef Py_ssize_t room
    cdef unsigned char *data
    if size > target.room - target.at:
        if size > 0x7FFFFFFF - target.at:
            raise ValueError
        room = 2 * (target.at + size)
        if target.owned:
            data = <unsigned char *>PyMem_Realloc(target.data, room)
        else:
            data = <unsigned char *>PyMem_Malloc(room)
        if data == NULL:
            raise MemoryError
        if not target.owned:
            memcpy(data, target.data, target.at)
        target.data = data
        target.room = room
        target.owned = True
    target.at += size
    return target.data + target.at - size


cdef inline int put_varint(Target *target, long long value) except -1:
    while value >= 128:
        more(target, 1)[0] = <unsigned char>(value & 127 | 128)
        value >>= 7
    more(target, 1)[0] = <unsigned char>value
    return 0


cdef inline int put_length(Target *target, long long length, int size) except -1:
    """A length of so many bytes, 0: a varint; -1 for null."""
    if size == 0:
        return put_varint(target, length + 1)
    if length > (0x7FFFFFFF if size == 4 else 0x7FFF):
        raise ValueError
    store(more(target, size), length, size)
    return 0
