"""ClientMemory: limits the bytes that the broker keeps for clients between requests.

There are two kinds of state. Lasting state, such as a member of a group, stays until its client ends it or it
times out; near the limit, requests for more are refused. Passing state, such as a fetch session or a
waiting request, may be dropped at any time, because its client starts over or retries.

Sizes are estimates, not below the real use. The owner of a state charges and discharges it.
"""

import logging

from barnabas.ports import Clock

log = logging.getLogger(__name__)

_LASTING_SHARE = 0.75
"""Lasting state may take this share of the limit; the rest is for passing state."""
_SESSIONS_SHARE = 0.875
"""All but waiting requests may take this share: without room for those, clients would poll without pause."""
_LARGEST_SHARE = 8
"""One request may take at most this fraction of the free room, so that small clients fit beside large ones."""
_WARN_SECONDS = 60.0
_NO_LIMIT = 2**62


class ClientMemory:
    """One account for all clients of a broker. For one thread.

    `lasting_bytes`, `passing_bytes`: the state of each kind.
    """

    __slots__ = (
        "_clock", "_lasting_limit", "_sessions_limit", "_warned_at", "lasting_bytes", "limit_bytes",
        "passing_bytes",
    )  # fmt: skip

    def __init__(self, limit_bytes: int, clock: Clock) -> None:
        """A negative limit means no limit."""
        self.limit_bytes = _NO_LIMIT if limit_bytes < 0 else limit_bytes
        self._lasting_limit = int(self.limit_bytes * _LASTING_SHARE)
        self._sessions_limit = int(self.limit_bytes * _SESSIONS_SHARE)
        self._clock = clock
        self._warned_at = -_WARN_SECONDS
        self.lasting_bytes = 0
        self.passing_bytes = 0

    def admits(self, size: int, what: str) -> bool:
        """Whether `size` more bytes of lasting state fit; if not, log that `what` is refused."""
        if size <= 0 or _LARGEST_SHARE * size <= self._lasting_limit - self.lasting_bytes:
            return True
        now = self._clock.monotonic()
        if now - self._warned_at >= _WARN_SECONDS:
            self._warned_at = now
            log.warning(
                "%s refused: too little room left in client.state.max.bytes; raise it if this is no attack",
                what,
                extra={
                    "bytes": size,
                    "lasting": self.lasting_bytes,
                    "passing": self.passing_bytes,
                    "limit": self.limit_bytes,
                },
            )
        return False

    def fits(self, size: int) -> bool:
        """Whether `size` more bytes of sessions fit."""
        return self.lasting_bytes + self.passing_bytes + size <= self._sessions_limit

    @property
    def over_bytes(self) -> int:
        """By how many bytes the state exceeds the limit; negative if it is below."""
        return self.lasting_bytes + self.passing_bytes - self.limit_bytes
