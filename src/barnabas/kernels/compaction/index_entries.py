# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The index entries of batches that are written one after another.

Source: Kafka's LogSegment.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.varints import wrapped
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.varints import wrapped


def entries(
    table: cython.longlong[::1],
    interval: cython.longlong,
    state: cython.longlong[::1],
    found: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """The index entries of a table's batches, written one behind the other from state[AT_FILE] on.

    Each is four numbers in `found`: last offset and position of the batch, greatest timestamp so far and
    the last offset of its batch. Returns how many, or a negative code. The rule is that of a segment that
    is appended to.
    """
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    last: cython.longlong
    if len(found) < 4 * (len(table) // layout.WIDTH):
        return layout.NO_ROOM
    for row in range(len(table) // layout.WIDTH):
        at = row * layout.WIDTH
        last = wrapped(table[at + layout.BASE_OFFSET] + table[at + layout.LAST_DELTA])
        if table[at + layout.MAX_TIMESTAMP] > state[layout.INDEXED_TIME]:
            state[layout.INDEXED_TIME] = table[at + layout.MAX_TIMESTAMP]
            state[layout.INDEXED_TIME_OFFSET] = last
        if state[layout.SINCE_ENTRY] > interval:
            found[4 * count] = last
            found[4 * count + 1] = state[layout.AT_FILE]
            found[4 * count + 2] = state[layout.INDEXED_TIME]
            found[4 * count + 3] = state[layout.INDEXED_TIME_OFFSET]
            count += 1
            state[layout.SINCE_ENTRY] = 0
        state[layout.SINCE_ENTRY] = wrapped(state[layout.SINCE_ENTRY] + table[at + layout.SIZE])
        state[layout.AT_FILE] = wrapped(state[layout.AT_FILE] + table[at + layout.SIZE])
    return count
