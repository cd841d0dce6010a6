"""Repeated: a small request that a client says again and again in the same words, and its reply.

From one time to the next only the correlation id differs, which is bytes 4 to 7 of a request and, behind
the size, of its reply. To compare the others takes a fraction of the time of reading and writing them.
"""

from struct import Struct

from barnabas.dialects.dialect import Request

_CORRELATION = Struct(">i")
_AT, _BEHIND = 4, 8


class Repeated:
    """One request as it was said the last time, its outcome and the reply that told it.

    No buffer of the request may be a view of its frame.
    """

    __slots__ = ("_after", "_before", "_outcome", "_reply_after", "_reply_size", "request")

    def __init__(self, frame: memoryview, request: Request, outcome: object, reply: bytes) -> None:
        self._before, self._after = bytes(frame[:_AT]), bytes(frame[_BEHIND:])
        self._reply_size, self._reply_after = reply[:_AT], reply[_BEHIND:]
        self._outcome = outcome
        self.request = request

    def is_said(self, frame: memoryview) -> bool:
        """Whether a frame says the same."""
        return bytes(frame[_BEHIND:]) == self._after and bytes(frame[:_AT]) == self._before

    def reply_to(self, frame: memoryview, outcome: object) -> bytes | None:
        """The reply to such a frame, with its size in front, if the outcome is the same too."""
        if outcome != self._outcome:
            return None
        return b"".join((self._reply_size, frame[_AT:_BEHIND], self._reply_after))

    def read(self, frame: memoryview) -> Request:
        """What such a frame says."""
        (correlation_id,) = _CORRELATION.unpack_from(frame, _AT)
        return self.request._replace(correlation_id=correlation_id)
