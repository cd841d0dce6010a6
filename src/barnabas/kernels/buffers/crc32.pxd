# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""CRC32 for the kernels that are compiled; `crc32.py` is the same for the others.

What is long is folded into 16 bytes first, where the processor can; the rest goes by tables, eight
bytes a step. `tables` is uint32[8 * 256], which `message_rows.fill` fills. Source: Kounavis and Berry,
"Novel Table Lookup-Based Algorithms for High-Performance CRC Generation".
"""

cdef extern from "folding.h" nogil:
    int folding_here()
    size_t fold(const unsigned char *data, size_t size, unsigned char *folded)


cdef inline unsigned int crc32(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, unsigned int[::1] tables
) noexcept nogil:
    cdef unsigned int crc = <unsigned int>-1
    cdef unsigned char folded[16]
    if end - at >= 64 and folding_here():
        at += fold(&data[at], end - at, folded)
        crc = further(0, folded, 16, &tables[0])
    if at < end:
        crc = further(crc, &data[at], end - at, &tables[0])
    return crc ^ <unsigned int>-1


cdef inline unsigned int further(
    unsigned int crc, const unsigned char *data, Py_ssize_t size, const unsigned int *tables
) noexcept nogil:
    cdef Py_ssize_t at = 0
    while size - at >= 8:
        crc ^= (
            <unsigned int>data[at]
            | <unsigned int>data[at + 1] << 8
            | <unsigned int>data[at + 2] << 16
            | <unsigned int>data[at + 3] << 24
        )
        crc = (
            tables[1792 + (crc & 255)]
            ^ tables[1536 + (crc >> 8 & 255)]
            ^ tables[1280 + (crc >> 16 & 255)]
            ^ tables[1024 + (crc >> 24)]
            ^ tables[768 + data[at + 4]]
            ^ tables[512 + data[at + 5]]
            ^ tables[256 + data[at + 6]]
            ^ tables[data[at + 7]]
        )
        at += 8
    while at < size:
        crc = (crc >> 8) ^ tables[(crc ^ data[at]) & 255]
        at += 1
    return crc
