from libc.stdint cimport uint32_t


cdef extern from "castagnoli.h" nogil:
    int castagnoli_here()
    uint32_t castagnoli(const unsigned char *data, size_t size)
