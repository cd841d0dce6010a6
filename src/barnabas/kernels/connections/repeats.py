# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Repeats: answers the requests that a connection repeats without decoding them.

A busy client sends nearly the same request again and again. Only the correlation id differs (four bytes
that the response repeats), the records of a Produce (and their offset in its response), or the offsets of an
OffsetCommit. The table of a connection has such a request, its response, and a function that does the work
again. A request that is not in the table, or cannot be handled like the last one, is handled as usual.
"""

from array import array

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.buffers.big_endian import int32, int64
    from cython.cimports.barnabas.kernels.buffers.varints import raw
    from cython.cimports.barnabas.kernels.connections.words import filled, numbered, same
else:
    from barnabas.kernels.buffers.big_endian import int32, int64
    from barnabas.kernels.buffers.varints import raw
    from barnabas.kernels.connections.words import filled, numbered, same

_SIZE = cython.declare(cython.int, 4)
_ID_AT = cython.declare(cython.int, 4)
"""Of the correlation id: behind API and version in a request, behind the size in a response."""
_ID_END = cython.declare(cython.int, 8)
_MOST_ROWS = cython.declare(cython.int, 8)
_KEY_AT = cython.declare(cython.int, 1)
"""The low byte of the API key."""
_MOST_KEYS = cython.declare(cython.int, 256)
_MOST_FRAMES = cython.declare(cython.int, 256)
"""In one call, so that other connections have their turn."""

# What is between head and tail of a request.
_NOTHING = cython.declare(cython.int, 0)
_RECORDS = cython.declare(cython.int, 1)
_COMPACT_RECORDS = cython.declare(cython.int, 2)
_OFFSETS = cython.declare(cython.int, 3)


@cython.final
@cython.cclass
class Tally:
    """How many requests of one kind were answered from tables; several tables may share it."""

    _count: cython.longlong

    def __init__(self) -> None:
        """None yet."""
        self._count = 0

    def count(self) -> int:
        """How many there were."""
        return self._count


@cython.final
@cython.cclass
class _Row:
    """A request without its size, as far as it is always the same; its response; what does the work."""

    head: bytes
    tail: bytes
    between: cython.int
    response: bytes
    offset_at: cython.Py_ssize_t
    offsets: list
    again: object
    about: object
    tally: Tally


@cython.final
@cython.cclass
class RepeatCounts:
    """How many requests were answered from tables, and their bytes without sizes, by API key."""

    _requests: cython.longlong[::1]
    _bytes: cython.longlong[::1]

    def __init__(self) -> None:
        """Nothing was answered yet."""
        self._requests = array("q", bytes(8 * _MOST_KEYS))
        self._bytes = array("q", bytes(8 * _MOST_KEYS))

    @cython.cfunc
    def add(
        self, key: cython.uchar, requests: cython.longlong, size: cython.Py_ssize_t
    ) -> cython.void:
        """Count requests of one API."""
        self._requests[key] += requests
        self._bytes[key] += size

    def of(self, key: cython.uchar, /) -> tuple[int, int]:
        """The requests of an API, and their bytes."""
        return self._requests[key], self._bytes[key]


@cython.final
@cython.cclass
class Repeats:
    """The table of one connection. Of each row only the correlation id differs, or the records as well."""

    _rows: dict
    _largest: cython.Py_ssize_t
    _records_at: cython.Py_ssize_t
    _records_end: cython.Py_ssize_t
    _waits: cython.bint
    _counts: RepeatCounts

    def __init__(self, largest: cython.Py_ssize_t, counts: RepeatCounts | None = None, /) -> None:
        """Begin with an empty table; frames above `largest` bytes are never answered from it.

        `counts`: counts the answered requests; None: nothing does.
        """
        self._rows = {}
        self._counts, self._largest = counts, largest
        self._records_at = self._records_end = 0
        self._waits = False

    def learn(self, frame: bytes, response: bytes, again: object, /) -> None:
        """Keep a request that was just answered, in place of the previous one of its API.

        `frame` is without its size, `response` with it. `again()` does the work once more and returns
        True, if the response is still right; otherwise it returns False, and the row is dropped.

        Raises:
            ValueError: one of them is too short to have a correlation id.
        """
        row: _Row = self._row(frame[:_ID_AT], frame, response, again)
        row.tail = b""

    def learn_records(
        self,
        head: bytes,
        tail: bytes,
        response: bytes,
        offset_at: cython.Py_ssize_t,
        again: object,
        about: object,
        tally: Tally | None = None,
        /,
        *,
        compact: cython.bint,
    ) -> None:
        """Keep a Produce request for one partition.

        `head` is the part before the length of its records, which is compact or has four bytes,
        `tail` the part after them. `response` has their offset at `offset_at`. `again(view,
        places)` appends the records of requests that come one behind the other, which start and end at
        these places; it returns what is known of that once it is written, a list of the offsets of
        those that it took, from the first on, which is at least one, and whether their responses wait
        for more than the write; or None, and the row is dropped. `tally` counts those that are taken.

        Raises:
            ValueError: there is no correlation id, or the response has no such place.
        """
        if offset_at < _ID_END or offset_at + 8 > len(response):
            raise ValueError("no place for an offset")
        row: _Row = self._row(head[:_ID_AT] + head[_ID_END:], head, response, again)
        row.tail = tail
        row.between = _COMPACT_RECORDS if compact else _RECORDS
        row.offset_at = offset_at
        row.about = about
        row.tally = tally

    def learn_offsets(
        self, frame: bytes, offsets: list, response: bytes, again: object, about: object, /
    ) -> None:
        """Keep an OffsetCommit request, which has its offsets at these places.

        `again(values)` commits other offsets and returns what is known of that once it is written; or
        None, and the row is dropped.

        Raises:
            ValueError: there is no correlation id, or a place is not in the frame, or before the last one.
        """
        at: cython.Py_ssize_t = _ID_END
        place: cython.Py_ssize_t
        for place in offsets:
            if place < at or place + 8 > len(frame):
                raise ValueError("no place for an offset")
            at = place + 8
        row: _Row = self._row(frame[:_ID_AT], frame, response, again)
        row.tail = b""
        row.between = _OFFSETS
        row.offsets = list(offsets)
        row.about = about

    @cython.cfunc
    def _row(self, key: bytes, head: bytes, response: bytes, again: object) -> _Row:
        if len(head) < _ID_END or len(response) < _ID_END:
            raise ValueError("no correlation id")
        row: _Row = _Row()
        row.head = head
        row.between = _NOTHING
        row.response = response
        row.again = again
        if key not in self._rows and len(self._rows) >= _MOST_ROWS:
            del self._rows[next(iter(self._rows))]
        self._rows[key] = row
        return row

    def take(
        self,
        view: object,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        responses: list,
        appended: list,
        /,
        *,
        only_records: cython.bint = False,
    ) -> cython.Py_ssize_t:
        """Answer the known frames from `start` up to the first unknown one; returns where they end.

        `view` is a memoryview. `responses` gets the responses, in order. Those to Produce and
        OffsetCommit are right once all is written: `appended` gets for each call of `again` the place
        of its first response and how many are for it, what the row is `about`, and what is known of
        them, as `again` returned it. Behind responses that wait for more than the write no frame is taken.
        `only_records`: what is taken is of one Produce row.

        Raises:
            ValueError: [start, end) is not within `view`.
        """
        received: cython.const[cython.uchar][::1] = view
        if start < 0 or end > len(received):
            raise ValueError("outside of what was received")
        row: _Row
        frame: cython.Py_ssize_t
        behind: cython.Py_ssize_t
        _: cython.int
        for _ in range(_MOST_FRAMES):
            behind = self._frame_end(received, start, end)
            if behind < 0:
                break
            frame = start + _SIZE
            row = self._find(received, frame, behind)
            if row is None:
                break
            if row.between in (_RECORDS, _COMPACT_RECORDS):
                behind = self._append(row, view, received, start, behind, end, responses, appended)
                if behind == start:
                    break
                start = behind
                if self._waits or only_records:
                    break
                continue
            if only_records:
                break
            response: bytes = filled(row.response, _ID_AT, received, frame + _ID_AT, 4)
            if row.between == _NOTHING:
                if not row.again():
                    self._drop(row)
                    break
            else:
                done = row.again([int64(received, frame + place) for place in row.offsets])
                if done is None:
                    self._drop(row)
                    break
                appended.append((len(responses), 1, row.about, done))
            responses.append(response)
            if self._counts is not None:
                self._counts.add(received[frame + _KEY_AT], 1, behind - frame)
            start = behind
        return start

    @cython.cfunc
    def _frame_end(
        self,
        received: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """The end of the frame whose size is at `start`; -1: it is incomplete or too large."""
        if end - start < _SIZE + _ID_END:
            return -1
        size: cython.Py_ssize_t = int32(received, start)
        if size < _ID_END or size > self._largest or size > end - start - _SIZE:
            return -1
        return start + _SIZE + size

    @cython.cfunc
    def _append(
        self,
        row: _Row,
        view: object,
        received: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        behind: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        responses: list,
        appended: list,
    ) -> cython.Py_ssize_t:
        """Append the records of the first frame, and of the frames after it that match the same row."""
        places: list = [self._records_at, self._records_end]
        ends: list = [behind]
        frame: cython.Py_ssize_t = behind
        while len(ends) < _MOST_FRAMES:
            behind = self._frame_end(received, frame, end)
            if behind < 0 or not self._is(row, received, frame + _SIZE, behind):
                break
            places += [self._records_at, self._records_end]
            ends.append(behind)
            frame = behind
        done = row.again(view, places)
        taken: cython.Py_ssize_t = 0
        self._waits = False
        at: cython.Py_ssize_t = start
        if done is not None:
            known, bases, self._waits = done
            appended.append((len(responses), len(bases), row.about, known))
            for base in bases:
                frame = start + _SIZE
                responses.append(
                    numbered(row.response, _ID_AT, received, frame + _ID_AT, 4, row.offset_at, base)
                )
                start = ends[taken]
                taken += 1
            if self._counts is not None:
                self._counts.add(received[at + _SIZE + _KEY_AT], taken, start - at - taken * _SIZE)
            if row.tally is not None:
                row.tally._count += taken  # noqa: SLF001 - of one kernel
        else:
            self._drop(row)
        return start

    @cython.cfunc
    def _drop(self, row: _Row) -> cython.void:
        for key, one in self._rows.items():
            if one is row:
                del self._rows[key]
                break

    @cython.cfunc
    def _find(
        self,
        received: cython.const[cython.uchar][::1],
        frame: cython.Py_ssize_t,
        behind: cython.Py_ssize_t,
    ) -> _Row | None:
        row: _Row
        for row in self._rows.values():
            if self._is(row, received, frame, behind):
                return row
        return None

    @cython.cfunc
    def _is(
        self,
        row: _Row,
        received: cython.const[cython.uchar][::1],
        frame: cython.Py_ssize_t,
        behind: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether a frame matches a row; notes where its records are."""
        size: cython.Py_ssize_t = len(row.head)
        return (
            behind - frame >= size
            and same(received, frame, row.head, 0, _ID_AT)
            and self._has_head(row, received, frame, size)
            and self._has_rest(row, received, frame + size, behind)
        )

    @cython.cfunc
    def _has_head(
        self,
        row: _Row,
        received: cython.const[cython.uchar][::1],
        frame: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether everything after the correlation id is the same, except offsets."""
        at: cython.Py_ssize_t = _ID_END
        place: cython.Py_ssize_t
        if row.between == _OFFSETS:
            for place in row.offsets:
                if not same(received, frame + at, row.head, at, place):
                    return False
                at = place + 8
        return same(received, frame + at, row.head, at, size)

    @cython.cfunc
    def _has_rest(
        self,
        row: _Row,
        received: cython.const[cython.uchar][::1],
        at: cython.Py_ssize_t,
        behind: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether everything after the head matches a row; notes where the records are."""
        bad: cython.bint
        length: cython.longlong
        if row.between in (_NOTHING, _OFFSETS):
            return at == behind
        if row.between == _RECORDS:
            if behind - at < 4:
                return False
            length = int32(received, at)
            at += 4
        else:
            bad, at, length = raw(received, at, behind)
            if bad:
                return False
            length -= 1
        if length < 0 or behind - at != length + len(row.tail):
            return False
        self._records_at = at
        self._records_end = at + length
        return same(received, at + length, row.tail, 0, len(row.tail))
