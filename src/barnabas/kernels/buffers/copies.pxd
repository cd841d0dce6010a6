# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Copies between buffers for the kernels that are compiled; `copies.py` is the same for the others."""

from libc.string cimport memcpy


cdef inline void copy(
    unsigned char[::1] target,
    Py_ssize_t to,
    const unsigned char[::1] data,
    Py_ssize_t start,
    Py_ssize_t length,
) noexcept nogil:
    if length <= 0:
        return
    # What is short goes as 16 bytes, where there are so many on both sides, because a copy of fixed
    # size is two instructions; the surplus is overwritten by what comes behind.
    if length <= 16 and len(target) - to >= 16 and len(data) - start >= 16:
        memcpy(&target[to], &data[start], 16)
    else:
        memcpy(&target[to], &data[start], length)
