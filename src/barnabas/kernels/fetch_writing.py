# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Replies to Fetch without their records, for every layout since version 4.

What diverges or has long names is not written here: the generated codecs do that. Compiled, a reply
of one partition takes 1 us. Source: KIP-74, KIP-227, KIP-320, KIP-516.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.big_endian import put_of
else:
    from barnabas.kernels.big_endian import put_of

_MOST_SHORT = cython.declare(cython.int, 126)
"""The longest name and the greatest count that take one byte in a flexible version."""


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_varint(out: bytearray, at: cython.Py_ssize_t, value: cython.longlong) -> cython.Py_ssize_t:
    """An unsigned varint; returns the position behind it."""
    while value > 127:
        out[at] = (value & 127) | 128
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@cython.cfunc
@cython.inline
def _row(row: object) -> tuple:
    """A row for indexing, which for a named tuple would go through Python otherwise."""
    if not isinstance(row, tuple) or len(row) < 11:
        raise TypeError("a row has at least eleven fields")
    return cython.cast(tuple, row)


@cython.cfunc
def _put_aborted(
    out: bytearray,
    at: cython.Py_ssize_t,
    aborted: object,
    reserve: cython.Py_ssize_t,
    flexible: cython.bint,
) -> cython.Py_ssize_t:
    """Aborted transactions, or that none are told; `reserve` bytes stay free behind them."""
    count: cython.longlong = -1
    if aborted is not None:
        count = len(aborted)
        if len(out) - at < 17 * count + reserve:
            out.extend(bytes(17 * count + reserve))
    if flexible:
        at = _put_varint(out, at, count + 1)
    else:
        put_of(out, at, count, 4)
        at += 4
    if count > 0:
        for one in aborted:
            put_of(out, at, one[0], 8)
            put_of(out, at + 8, one[1], 8)
            at += 16
            if flexible:
                out[at] = 0
                at += 1
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_head(
    head: bytearray,
    version: cython.int,
    size: cython.longlong,
    correlation_id: cython.longlong,
    error: cython.longlong,
    session_id: cython.longlong,
    topics: cython.longlong,
) -> cython.void:
    """What is before the first topic: 16 bytes, 22 since version 7, 20 since version 12."""
    at: cython.Py_ssize_t = 12
    if version > 11:
        at = 13
    # Between the correlation id and `at`: no tagged fields, no throttling. The bytes are 0.
    put_of(head, 0, size, 4)
    put_of(head, 4, correlation_id, 4)
    if version > 6:
        put_of(head, at, error, 2)
        put_of(head, at + 2, session_id, 4)
        at += 6
    if version > 11:
        head[at] = topics + 1
    else:
        put_of(head, at, topics, 4)


def write(
    correlation_id: cython.longlong,
    version: cython.int,
    error: cython.longlong,
    session_id: cython.longlong,
    fetched: list,
    codes: dict,
) -> object:
    """The parts of a whole reply with its size in front, and their bytes; None if not written here.

    `fetched` has rows of topic, topic id, index, error, high watermark, last stable offset, log
    start offset, records, diverging epoch, diverging end offset, aborted transactions (None, or rows
    of producer id, first offset, and more that is not looked at); those of one topic are together.
    Records (anything with a `size`) become parts of their own. `codes`: what clients of this version
    get for an error.
    """
    flexible: cython.bint = version > 11
    topics: cython.longlong = 0
    name: bytes = b""
    topic: object = None
    topic_id: object = None
    out: bytearray = bytearray(256 + 64 * len(fetched))
    begun: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    total: cython.longlong = 0
    code: cython.longlong
    taken: cython.longlong
    group: cython.Py_ssize_t
    number: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = len(fetched)
    parts: list = []
    row: tuple
    next_row: tuple
    at = 16
    if version > 6:
        at = 22
    if flexible:
        at = 20
    while number < count:
        row = _row(fetched[number])
        topic = row[0]
        topic_id = row[1]
        group = number + 1
        while group < count:
            next_row = _row(fetched[group])
            if next_row[0] != topic or next_row[1] != topic_id:
                break
            group += 1
        topics += 1
        name = topic_id if version > 12 else topic.encode()
        if flexible and (len(name) > _MOST_SHORT or topics > _MOST_SHORT):
            return None
        # A row takes at most 45 bytes, what else a topic has beside its name at most 12.
        if len(out) - at < len(name) + 80 + 64 * (count - number):
            out.extend(bytes(len(name) + 80))
        if not flexible:
            put_of(out, at, len(name), 2)
            at += 2
        elif version < 13:
            out[at] = len(name) + 1
            at += 1
        out[at : at + len(name)] = name
        at += len(name)
        if flexible:
            at = _put_varint(out, at, group - number + 1)
        else:
            put_of(out, at, group - number, 4)
            at += 4
        while number < group:
            row = _row(fetched[number])
            number += 1
            if row[8] >= 0 and flexible:
                return None
            code = row[3]
            if code:
                code = codes.get(code, code)
            put_of(out, at, row[2], 4)
            put_of(out, at + 4, code, 2)
            put_of(out, at + 6, row[4], 8)
            put_of(out, at + 14, row[5], 8)
            at += 22
            if version > 4:
                put_of(out, at, row[6], 8)
                at += 8
            at = _put_aborted(out, at, row[10], 64 * (count - number) + 128, flexible)
            if version > 10:
                put_of(out, at, -1, 4)
                at += 4
            records: object = row[7]
            taken = 0
            if records is not None:
                taken = records.size
            if flexible:
                at = _put_varint(out, at, taken + 1)
            else:
                put_of(out, at, taken, 4)
                at += 4
            if records is not None:
                parts.append(out[begun:at])
                parts.append(records)
                total += taken
                begun = at
            if flexible:
                out[at] = 0
                at += 1
        if flexible:
            out[at] = 0
            at += 1
    if flexible:
        out[at] = 0
        at += 1
    if at > begun:
        parts.append(out[begun:at])
    total += at
    head: bytearray = parts[0]
    _put_head(head, version, total - 4, correlation_id, error, session_id, topics)
    if len(parts) == 1:
        parts[0] = bytes(head)
    return parts, total
