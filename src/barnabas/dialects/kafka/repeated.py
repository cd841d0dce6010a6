"""Repeated: a small request that a client says again and again in the same words, and its reply.

From one time to the next only the correlation id differs, which is the same four bytes of a frame and of
its reply. To compare the others takes a fraction of the time of reading and writing them.
"""

from dataclasses import replace
from struct import Struct

from barnabas.dialects.dialect import Request

_INT32 = Struct(">i")
_AT, _BEHIND = 8, 12
"""Of the correlation id in a frame with its size in front: behind API and version."""
_REPLY_AT, _REPLY_BEHIND = 4, 8
"""The same in a reply."""


class Repeated:
    """One request as it was said the last time, its outcome and the reply that told it.

    No buffer of the request may be a view of its frame.
    """

    __slots__ = ("_after", "_before", "_reply_after", "_reply_size", "_size", "outcome", "request")

    def __init__(self, frame: memoryview, request: Request, outcome: object, reply: bytes) -> None:
        """`frame` is without its size, the reply with it."""
        said = _INT32.pack(len(frame)) + frame
        self._size = len(said)
        self._before, self._after = said[:_AT], said[_BEHIND:]
        self._reply_size, self._reply_after = reply[:_REPLY_AT], reply[_REPLY_BEHIND:]
        self.outcome = outcome
        self.request = request

    def reply_to(self, received: memoryview) -> bytes | None:
        """The reply if one frame was received, its size in front, that says the same; or else None."""
        if len(received) != self._size:
            return None
        said = bytes(received)
        if not (said.startswith(self._before) and said.endswith(self._after)):
            return None
        return b"".join((self._reply_size, said[_AT:_BEHIND], self._reply_after))

    def read(self, received: memoryview) -> Request:
        """What such a frame says."""
        (correlation_id,) = _INT32.unpack_from(received, _AT)
        return replace(self.request, correlation_id=correlation_id)
