# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Fetch requests into rows, for every layout since version 4.

What has tagged fields, forgotten topics or long names is not read here: the generated codecs do
that. Every length is compared with what remains before it is used. Compiled, a request of one
partition takes 0.8 us. Source: KIP-74, KIP-227, KIP-320, KIP-516.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.big_endian import int16_of, int32_of, int64_of
else:
    from barnabas.kernels.big_endian import int16_of, int32_of, int64_of

_NO_ID = cython.declare(bytes, bytes(16))
_FIRST = cython.declare(cython.int, 4)
_LAST = cython.declare(cython.int, 18)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _fixed(version: cython.int) -> cython.Py_ssize_t:
    """Bytes between the client id and the topics."""
    if version > 14:
        return 22
    if version > 11:
        return 26
    if version > 6:
        return 25
    return 17


def read(
    frame: bytes, lowest: cython.int, highest: cython.int, make: object, part: object
) -> object:
    """What a whole frame of Fetch says, from its header on; None if it has what is not read here.

    The tuple is: version, correlation id, client id, then replica id, longest wait (ms), least and
    most bytes, isolation level, session id, session epoch, and a list of `make(part, row)` for each
    partition: topic, topic id, index, offset, most bytes, leader epoch, last fetched epoch.
    Versions from `lowest` to `highest` are read. Raises UnicodeDecodeError for a bad name.
    """
    size: cython.Py_ssize_t = len(frame)
    if size < 10 or frame[0] != 0 or frame[1] != 1:
        return None
    version: cython.int = int16_of(frame, 2)
    if version < lowest or version > highest or version < _FIRST or version > _LAST:
        return None
    flexible: cython.bint = version > 11
    at: cython.Py_ssize_t = 10
    length: cython.Py_ssize_t = int16_of(frame, 8)
    client: object = None
    if length >= 0:
        if length > size - at:
            return None
        client = frame[at : at + length].decode("utf-8", "replace")
        at += length
    if size - at < _fixed(version):
        return None
    if flexible:
        if frame[at]:
            return None
        at += 1
    replica: cython.longlong = -1
    if version < 15:
        replica = int32_of(frame, at)
        at += 4
    wait: cython.longlong = int32_of(frame, at)
    least: cython.longlong = int32_of(frame, at + 4)
    most: cython.longlong = int32_of(frame, at + 8)
    isolation: cython.int = frame[at + 12]
    at += 13
    session: cython.longlong = 0
    epoch: cython.longlong = -1
    if version > 6:
        session = int32_of(frame, at)
        epoch = int32_of(frame, at + 4)
        at += 8
    reads: list = []
    if flexible:
        at = _read_flexible(frame, at, size, version, make, part, reads)
    else:
        at = _read_classic(frame, at, size, version, make, part, reads)
    if at != size:
        return None
    return (
        version, int32_of(frame, 4), client, replica, wait, least, most, isolation, session, epoch,
        reads,
    )  # fmt: skip


@cython.cfunc
def _read_classic(
    frame: bytes,
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    version: cython.int,
    make: object,
    part: object,
    reads: list,
) -> cython.Py_ssize_t:
    """The topics from `at` on, and what is behind them; where the request ends, -1 if not known."""
    step: cython.Py_ssize_t = 16
    if version > 4:
        step = 24
    if version > 8:
        step = 28
    topics: cython.longlong
    count: cython.longlong
    length: cython.Py_ssize_t
    epoch: cython.longlong
    place: cython.Py_ssize_t
    if size - at < 4:
        return -1
    topics = int32_of(frame, at)
    at += 4
    if topics < 0:
        return -1
    while topics > 0:
        topics -= 1
        if size - at < 6:
            return -1
        length = int16_of(frame, at)
        at += 2
        if length < 0 or size - at < length + 4:
            return -1
        name: object = frame[at : at + length].decode("utf-8")
        at += length
        count = int32_of(frame, at)
        at += 4
        if count < 0 or count > (size - at) // step:
            return -1
        while count > 0:
            count -= 1
            epoch = -1
            place = at + 4
            if version > 8:
                epoch = int32_of(frame, place)
                place += 4
            row: tuple = (
                name, _NO_ID, int32_of(frame, at), int64_of(frame, place),
                int32_of(frame, at + step - 4), epoch, -1,
            )  # fmt: skip
            reads.append(make(part, row))
            at += step
    if version > 6:
        if size - at < 4 or int32_of(frame, at):
            return -1
        at += 4
    if version > 10:
        if size - at < 2:
            return -1
        length = int16_of(frame, at)
        at += 2
        if length < 0 or length > size - at:
            return -1
        at += length
    return at


@cython.cfunc
def _read_flexible(
    frame: bytes,
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    version: cython.int,
    make: object,
    part: object,
    reads: list,
) -> cython.Py_ssize_t:
    """As `_read_classic`; counts and lengths that take one byte only."""
    topics: cython.int
    count: cython.int
    length: cython.Py_ssize_t
    name: object = ""
    topic_id: object = _NO_ID
    if size - at < 1:
        return -1
    topics = frame[at]
    at += 1
    if topics < 1 or topics > 127:
        return -1
    while topics > 1:
        topics -= 1
        if version > 12:
            if size - at < 17:
                return -1
            topic_id = frame[at : at + 16]
            at += 16
        else:
            if size - at < 1:
                return -1
            length = frame[at]
            length -= 1
            at += 1
            if length < 0 or length > 126 or size - at < length + 1:
                return -1
            name = frame[at : at + length].decode("utf-8")
            at += length
        count = frame[at]
        at += 1
        if count < 1 or count > 127 or size - at < (count - 1) * 33 + 1:
            return -1
        while count > 1:
            count -= 1
            if frame[at + 32]:
                return -1
            row: tuple = (
                name, topic_id, int32_of(frame, at), int64_of(frame, at + 8), int32_of(frame, at + 28),
                int32_of(frame, at + 4), int32_of(frame, at + 16),
            )  # fmt: skip
            reads.append(make(part, row))
            at += 33
        if frame[at]:
            return -1
        at += 1
    # Nothing forgotten, a short rack, no tagged fields.
    if size - at < 3 or frame[at] != 1:
        return -1
    length = frame[at + 1]
    if length < 1 or length > 127 or size - at != length + 2 or frame[size - 1]:
        return -1
    return size
