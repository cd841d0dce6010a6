# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""murmur2 as Kafka's partitioner hashes keys: one, or a column of them. CRC32C is a library's.

Compiled, a column of 8 byte keys takes about 3 ns a key.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _murmur2(
    data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, length: cython.Py_ssize_t
) -> cython.uint:
    """The 32 bit hash. Source: Kafka's Utils.murmur2 (seed 0x9747b28c, m 0x5bd1e995, r 24)."""
    multiplier: cython.uint = 0x5BD1E995
    seed: cython.uint = 0x1747B28C
    word: cython.uint
    position: cython.Py_ssize_t = start
    end: cython.Py_ssize_t = start + length
    # 0x9747b28c, but a literal of 2^31 or more would be a Python object
    value: cython.uint = (seed | (cython.cast(cython.uint, 1) << 31)) ^ cython.cast(
        cython.uint, length
    )
    while end - position >= 4:
        word = (
            cython.cast(cython.uint, data[position])
            | (cython.cast(cython.uint, data[position + 1]) << 8)
            | (cython.cast(cython.uint, data[position + 2]) << 16)
            | (cython.cast(cython.uint, data[position + 3]) << 24)
        )
        word = _times(word, multiplier)
        word ^= word >> 24
        value = _times(value, multiplier) ^ _times(word, multiplier)
        position += 4
    left: cython.Py_ssize_t = end - position
    if left == 3:
        value ^= cython.cast(cython.uint, data[position + 2]) << 16
    if left >= 2:
        value ^= cython.cast(cython.uint, data[position + 1]) << 8
    if left >= 1:
        value ^= cython.cast(cython.uint, data[position])
        value = _times(value, multiplier)
    value ^= value >> 13
    value = _times(value, multiplier)
    return value ^ (value >> 15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _times(value: cython.uint, by: cython.uint) -> cython.uint:
    if cython.compiled:
        return value * by
    return (value * by) & 0xFFFFFFFF


def murmur2(key: cython.const[cython.uchar][::1]) -> cython.uint:
    """The hash of one key, as an unsigned 32 bit number."""
    return _murmur2(key, 0, len(key))
