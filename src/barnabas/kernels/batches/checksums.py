# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CRC32C of the small batches of a response, without a call from Python for each.

With the processor's instruction, about 10 GB/s: below some 4 KB that beats calling a library, which
has more throughput and takes 0.3 us to be called. Source: KIP-98.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.castagnoli import castagnoli, castagnoli_here
else:
    from barnabas.kernels import layout

_COVERED_FROM = cython.declare(cython.int, 21)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _small_batches(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    largest: cython.Py_ssize_t,
    wrong: cython.longlong[::1],
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t
    start: cython.longlong
    size: cython.longlong
    left: cython.Py_ssize_t = 0
    for row in range(len(table) // layout.WIDTH):
        start = table[row * layout.WIDTH + layout.POSITION]
        size = table[row * layout.WIDTH + layout.SIZE]
        if size > largest or not cython.compiled:
            left += 1
            continue
        if start < 0 or size <= _COVERED_FROM or start > len(data) - size:
            return layout.NO_ROOM
        if (
            castagnoli(
                cython.address(data[cython.cast(cython.Py_ssize_t, start + _COVERED_FROM)]),
                cython.cast(cython.size_t, size - _COVERED_FROM),
            )
            != table[row * layout.WIDTH + layout.CRC]
        ):
            wrong[0] = row
            return left
    return left


def small_batches(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    largest: cython.Py_ssize_t,
    wrong: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Compare the batches of a table that have up to `largest` bytes with their CRC.

    Returns how many were not looked at, which is all of them where there is no instruction for it,
    or a negative code; wrong[0] is the first row whose CRC is not the one stored, and stays as it
    was where all are right.
    """
    result: cython.Py_ssize_t
    if len(wrong) < 1:
        return layout.NO_ROOM
    if cython.compiled and not castagnoli_here():
        return len(table) // layout.WIDTH
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _small_batches(data, table, largest, wrong)
    else:
        result = _small_batches(data, table, largest, wrong)
    return result
