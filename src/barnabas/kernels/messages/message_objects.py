# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Messages of magic 0 and 1 into a list of Records.

The rows come from `message_rows`. Compiled, a Record of 100 bytes takes about 200 ns (aiokafka 300,
kafka-python 2400), uncompiled 5 us. Source: seeds 002 and 003 "Message format", KIP-31, KIP-32.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int64
    from cython.cimports.barnabas.kernels.buffers.varints import wrapped
    from cython.cimports.barnabas.kernels.messages.message_parts import read
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int64
    from barnabas.kernels.buffers.varints import wrapped
    from barnabas.kernels.messages.message_parts import read

from barnabas.kernels.batches.record import Record


@cython.cfunc
@cython.inline
def _bytes(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, length: cython.int
) -> object:
    """A key or value; None where its length is negative."""
    if length < 0:
        return None
    if length == 0:
        return b""
    if cython.compiled:
        return PyBytes_FromStringAndSize(
            cython.cast(cython.p_char, cython.address(data[position])), length
        )
    return bytes(data[position : position + length])


@cython.cfunc
def _decode(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    at: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    limit: cython.Py_ssize_t,
    topic: str,
    partition: cython.int,
    found: list,
    state: cython.longlong[::1],
) -> cython.int:
    """Decode the messages of the row that starts at `at` in the table; see `decode`."""
    position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.START])
    end: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, table[at + layout.END])
    has_times: cython.bint = table[at + layout.ATTRIBUTES] & layout.HAS_TIMES != 0
    time_of_row: cython.bint = table[at + layout.ATTRIBUTES] & layout.TIME_OF_ROW != 0
    kind: cython.int = -1
    if has_times:
        kind = 1 if table[at + layout.ATTRIBUTES] & 8 != 0 else 0
    index: cython.longlong
    next_message: cython.Py_ssize_t
    key_at: cython.Py_ssize_t
    value_at: cython.Py_ssize_t
    key_length: cython.int
    value_length: cython.int
    offset: cython.longlong
    time: cython.longlong
    for index in range(table[at + layout.COUNT]):
        state[layout.AT_RECORD] = index
        next_message, key_at, key_length, value_at, value_length = read(
            data, position, end, has_times
        )
        if next_message < 0:
            return cython.cast(cython.int, next_message)
        offset = wrapped(int64(data, position) + table[at + layout.SHIFT])
        if lowest <= offset < beyond:
            time = -1
            if time_of_row:
                time = table[at + layout.MAX_TIMESTAMP]
            elif has_times:
                time = int64(data, position + 18)
            found.append(
                Record(
                    topic,
                    partition,
                    offset,
                    time,
                    kind,
                    _bytes(data, key_at, key_length),
                    _bytes(data, value_at, value_length),
                )
            )
            if len(found) >= limit:
                return 0
        position = next_message
    return 0


def decode(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first_row: cython.Py_ssize_t,
    end_row: cython.Py_ssize_t,
    lowest: cython.longlong,
    beyond: cython.longlong,
    limit: cython.Py_ssize_t,
    topic: str,
    partition: cython.int,
    found: list,
    state: cython.longlong[::1],
) -> cython.int:
    """Append the messages of some rows to `found` as Records, until it has `limit` of them.

    Arguments and result as those of `record.decode`. Nothing behind the limit is looked at.
    """
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    result: cython.int
    if first_row < 0 or end_row > len(table) // layout.WIDTH:
        return layout.NO_ROOM
    for row in range(first_row, end_row):
        if len(found) >= limit:
            return 0
        at = row * layout.WIDTH
        state[layout.AT_ROW] = row
        if not 0 <= table[at + layout.START] <= table[at + layout.END] <= len(data):
            return layout.NO_ROOM
        result = _decode(data, table, at, lowest, beyond, limit, topic, partition, found, state)
        if result < 0:
            return result
    return 0
