# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Bytes to compare and to fill in for kernels that are compiled; `words.py` is the same for the others."""

from barnabas.kernels.buffers.big_endian cimport store
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcmp, memcpy


cdef inline bint same(
    const unsigned char[::1] data, Py_ssize_t at, bytes words, Py_ssize_t first, Py_ssize_t last
) noexcept:
    return memcmp(&data[at], PyBytes_AS_STRING(words) + first, last - first) == 0


cdef inline bytes filled(
    bytes words, Py_ssize_t to, const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size
):
    cdef bytes made = PyBytes_FromStringAndSize(PyBytes_AS_STRING(words), PyBytes_GET_SIZE(words))
    memcpy(PyBytes_AS_STRING(made) + to, &data[at], size)
    return made


cdef inline bytes numbered(
    bytes words,
    Py_ssize_t to,
    const unsigned char[::1] data,
    Py_ssize_t place,
    Py_ssize_t size,
    Py_ssize_t at,
    long long value,
):
    cdef bytes made = filled(words, to, data, place, size)
    store(<unsigned char *>PyBytes_AS_STRING(made) + at, value, 8)
    return made
