# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled turn: requests that a connection repeats are answered without being read.

A client at work sends the same words again and again. From one time to the next only the correlation
id differs, which is the same four bytes of a request and of its response. The table of a connection has
the last request of each API, its response, and what does the work once more. Whatever is not in the
table, or can not be done in the same way, is left to the ordinary way, untouched.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.big_endian import int32
    from cython.cimports.barnabas.kernels.words import filled, same
else:
    from barnabas.kernels.big_endian import int32
    from barnabas.kernels.words import filled, same

_SIZE = cython.declare(cython.int, 4)
_ID_AT = cython.declare(cython.int, 4)
"""Of the correlation id: behind API and version in a request, behind the size in a response."""
_ID_END = cython.declare(cython.int, 8)


@cython.final
@cython.cclass
class _Repeat:
    """A request without its size, its response with it, and what does the work again."""

    words: bytes
    size: cython.Py_ssize_t
    response: bytes
    again: object

    def __init__(self, words: bytes, response: bytes, again: object) -> None:
        self.words = words
        self.size = len(words)
        self.response = response
        self.again = again


@cython.final
@cython.cclass
class Repeats:
    """The table of one connection: a row for each API and version."""

    _rows: dict

    def __init__(self) -> None:
        self._rows = {}

    def learn(self, frame: bytes, response: bytes, again: object, /) -> None:
        """Keep a request that was answered just now, in place of the one before of its API.

        `frame` is without its size, `response` with it. `again()` does the work once more and returns
        True, if the response is still right; otherwise it returns False, and the row is dropped.

        Raises:
            ValueError: one of them is too short to have a correlation id.
        """
        if len(frame) < _ID_END or len(response) < _ID_END:
            raise ValueError("no correlation id")
        self._rows[frame[:_ID_AT]] = _Repeat(frame, response, again)

    def forget(self) -> None:
        """Drop all rows."""
        self._rows.clear()

    def take(
        self,
        received: cython.const[cython.uchar][::1],
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        responses: list,
        /,
    ) -> cython.Py_ssize_t:
        """Answer the frames from `start` on that are known, as far as they go; returns where they end.

        `responses` gets theirs, in order.

        Raises:
            ValueError: [start, end) is not within `received`.
        """
        if start < 0 or end > len(received):
            raise ValueError("outside of what was received")
        one: _Repeat
        frame: cython.Py_ssize_t
        behind: cython.Py_ssize_t
        while end - start >= _SIZE + _ID_END:
            frame = start + _SIZE
            behind = frame + int32(received, start)
            if behind < frame + _ID_END or behind > end:
                break
            one = self._find(received, frame, behind - frame)
            if one is None:
                break
            if not one.again():
                del self._rows[one.words[:_ID_AT]]
                break
            responses.append(filled(one.response, _ID_AT, received, frame + _ID_AT, 4))
            start = behind
        return start

    @cython.cfunc
    def _find(
        self,
        received: cython.const[cython.uchar][::1],
        frame: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
    ) -> _Repeat | None:
        one: _Repeat
        for one in self._rows.values():
            if (
                one.size == size
                and same(received, frame, one.words, 0, _ID_AT)
                and same(received, frame + _ID_END, one.words, _ID_END, size)
            ):
                return one
        return None
