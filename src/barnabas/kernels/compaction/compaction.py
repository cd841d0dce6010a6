# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Write the magic 2 batches that compaction keeps, given the records to keep, and their index entries.

Records lie uncompressed. Sources: KIP-98, KIP-534; Kafka's MemoryRecords.filterTo and LogSegment.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import put
    from cython.cimports.barnabas.kernels.buffers.copies import copy
    from cython.cimports.barnabas.kernels.buffers.varints import (
        put_varint,
        varint,
        varlong,
        wrapped,
    )
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import put
    from barnabas.kernels.buffers.copies import copy
    from barnabas.kernels.buffers.varints import put_varint, varint, varlong, wrapped

_HEADER_SIZE = cython.declare(cython.Py_ssize_t, 61)
_CODEC = cython.declare(cython.int, 0x07)
_LOG_APPEND_TIME = cython.declare(cython.int, 0x08)
_DELETE_HORIZON = cython.declare(cython.int, 0x40)
_RELEASE = cython.declare(cython.Py_ssize_t, 50000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write(
    data: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    marks: cython.const[cython.uchar][::1],
    marks_at: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    shift: cython.longlong,
    out: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    index: cython.Py_ssize_t
    position: cython.Py_ssize_t = start
    body: cython.Py_ssize_t
    rest: cython.Py_ssize_t
    run: cython.Py_ssize_t = start
    record_end: cython.Py_ssize_t
    bad: cython.bint
    length: cython.int
    time: cython.longlong
    size: cython.longlong
    probe: cython.Py_ssize_t
    for index in range(count):
        bad, body, length = varint(data, position, end)
        if bad or length < 1 or length > end - body:
            return layout.BAD_RECORD_LENGTH
        record_end = body + length
        if marks[marks_at + index] == 0:
            copy(out, at, data, run, position - run)
            at += position - run
            run = record_end
        elif shift != 0:
            bad, rest, time = varlong(data, body + 1, record_end)
            if bad:
                return layout.BAD_VARINT
            # Behind `at` there is room for the longest varints: the delta is measured there.
            probe = put_varint(out, at, wrapped(time - shift))
            size = 1 + (probe - at) + (record_end - rest)
            at = put_varint(out, at, size)
            out[at] = data[body]
            at = put_varint(out, at + 1, wrapped(time - shift))
            copy(out, at, data, rest, record_end - rest)
            at += record_end - rest
            run = record_end
        position = record_end
    copy(out, at, data, run, position - run)
    return at + position - run


def write(
    data: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    marks: cython.const[cython.uchar][::1],
    count: cython.Py_ssize_t,
    shift: cython.longlong,
    out: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the marked ones of `count` records in [start, end) into `out` from `at` on.

    Their timestamp deltas become smaller by `shift`. `out` has room for all records, and GROWTH more
    bytes for each. Returns the position behind the last, or a negative code.
    """
    if start < 0 or end > len(data) or start > end or count > len(marks) or at < 0:
        return layout.BAD_COUNT
    if len(out) - at < end - start + count * layout.GROWTH:
        return layout.NO_ROOM
    return _write(data, start, end, marks, 0, count, shift, out, at)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_in(
    sorted_offsets: cython.const[cython.longlong][::1], wanted: cython.longlong
) -> cython.int:
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = len(sorted_offsets)
    while low < high:
        if sorted_offsets[(low + high) >> 1] < wanted:
            low = ((low + high) >> 1) + 1
        else:
            high = (low + high) >> 1
    return low < len(sorted_offsets) and sorted_offsets[low] == wanted


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _survive(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    kept_empty: cython.const[cython.longlong][::1],
    marks: cython.const[cython.uchar][::1],
    verdicts: cython.const[cython.longlong][::1],
    out: cython.uchar[::1],
    rewritten: cython.longlong[::1],
    state: cython.longlong[::1],
) -> cython.int:
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    position: cython.Py_ssize_t
    size: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t
    written: cython.Py_ssize_t
    judged: cython.Py_ssize_t
    marks_at: cython.Py_ssize_t
    kept: cython.longlong
    attributes: cython.longlong
    base: cython.longlong
    shift: cython.longlong
    for row in range(first, last):
        at = row * layout.WIDTH
        position = cython.cast(cython.Py_ssize_t, table[at + layout.POSITION])
        size = cython.cast(cython.Py_ssize_t, table[at + layout.SIZE])
        start = cython.cast(cython.Py_ssize_t, table[at + layout.START])
        end = cython.cast(cython.Py_ssize_t, table[at + layout.END])
        count = cython.cast(cython.Py_ssize_t, table[at + layout.COUNT])
        if position < 0 or size < _HEADER_SIZE or position > len(data) - size:
            return layout.NO_ROOM
        if not 0 <= start <= end <= len(data):
            return layout.NO_ROOM
        judged = (row - first) * layout.VERDICT
        kept = verdicts[judged + layout.KEPT_RECORDS]
        marks_at = cython.cast(cython.Py_ssize_t, verdicts[judged + layout.MARKS_AT])
        to = cython.cast(cython.Py_ssize_t, state[layout.TO_BYTES])
        if count < 0 or not 0 <= marks_at <= len(marks) - count:
            return layout.NO_ROOM
        if to < 0 or len(out) - to < max(size, _HEADER_SIZE + end - start) + count * layout.GROWTH:
            return layout.NO_ROOM
        attributes = table[at + layout.ATTRIBUTES]
        base = table[at + layout.BASE_TIMESTAMP]
        shift = 0
        if kept == 0:
            base = wrapped(table[at + layout.BASE_OFFSET] + table[at + layout.LAST_DELTA])
            if not _is_in(kept_empty, base):
                continue
            written = to + _HEADER_SIZE
            attributes &= ~(_CODEC | _DELETE_HORIZON)
            base = -1
        elif verdicts[judged + layout.TOMBSTONES] and attributes & _DELETE_HORIZON == 0:
            written = 0
            attributes |= _DELETE_HORIZON
            base = state[layout.NEW_HORIZON]
            if attributes & _LOG_APPEND_TIME == 0:
                shift = wrapped(base - table[at + layout.BASE_TIMESTAMP])
        elif kept == count:
            copy(out, to, data, position, size)
            state[layout.TO_BYTES] = to + size
            continue
        else:
            written = 0
        if written == 0:
            written = _write(
                data, start, end, marks, marks_at, count, shift, out, to + _HEADER_SIZE
            )
            if written < 0:
                return cython.cast(cython.int, written)
        copy(out, to, data, position, _HEADER_SIZE)
        put(out, to + 8, written - to - 12, 4)
        put(out, to + 21, attributes, 2)
        put(out, to + 27, base, 8)
        if kept and attributes & _LOG_APPEND_TIME == 0:
            put(out, to + 35, verdicts[judged + layout.NEWEST], 8)
        put(out, to + 57, kept, 4)
        if 2 * state[layout.REWRITTEN] + 2 > len(rewritten):
            return layout.NO_ROOM
        rewritten[2 * state[layout.REWRITTEN]] = to
        rewritten[2 * state[layout.REWRITTEN] + 1] = written
        state[layout.REWRITTEN] += 1
        state[layout.TO_BYTES] = written
    return 0


def survive(
    data: cython.const[cython.uchar][::1],
    table: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    kept_empty: cython.const[cython.longlong][::1],
    marks: cython.const[cython.uchar][::1],
    verdicts: cython.const[cython.longlong][::1],
    out: cython.uchar[::1],
    rewritten: cython.longlong[::1],
    state: cython.longlong[::1],
) -> cython.int:
    """Write what stays of rows [first, last) into `out` from state[TO_BYTES] on, which grows.

    A batch that keeps all records is copied. A batch that loses records, or whose tombstones get their
    horizon now, is rewritten without its CRC, which the caller sets: `rewritten` takes start and end of
    each, REWRITTEN their number. A batch without records is omitted, unless its last offset is among
    the sorted `kept_empty`: then its header stays. Returns 0 or a negative code.
    """
    result: cython.int
    if (
        first < 0
        or last > len(table) // layout.WIDTH
        or len(verdicts) < (last - first) * layout.VERDICT
    ):
        return layout.NO_ROOM
    if len(data) > _RELEASE:
        with cython.nogil:
            result = _survive(
                data, table, first, last, kept_empty, marks, verdicts, out, rewritten, state
            )
    else:
        result = _survive(
            data, table, first, last, kept_empty, marks, verdicts, out, rewritten, state
        )
    return result
