"""ClientMemory: limits the bytes that the broker keeps for clients between requests.

What is kept is of two kinds. Lasting state is a client's until it ends it, or its time is over: a member of
a group. Near the limit there is no more room for it, and who asks is refused. Passing state may end at
any time, since its client begins anew or asks again: a fetch session, a request that waits.

Sizes are estimates, not below the real use. The owner of a state charges and discharges it.
"""

import logging

from barnabas.ports import Clock

log = logging.getLogger(__name__)

_LASTING_SHARE = 0.75
"""Of the limit. The rest is for passing state."""
_SESSIONS_SHARE = 0.875
"""Of the limit, for all but requests that wait: without room for those all clients would ask at once again."""
_LARGEST_SHARE = 8
"""What is admitted is at most this fraction of what is left: a small client joins beside large ones."""
_WARN_SECONDS = 60.0
_NO_LIMIT = 2**62


class ClientMemory:
    """One account for all clients of a broker. For one thread.

    `lasting_bytes`, `passing_bytes`: what is held of each kind.
    """

    __slots__ = (
        "_clock", "_lasting_limit", "_sessions_limit", "_warned_at", "lasting_bytes", "limit_bytes",
        "passing_bytes",
    )  # fmt: skip

    def __init__(self, limit_bytes: int, clock: Clock) -> None:
        """A negative limit is none."""
        self.limit_bytes = _NO_LIMIT if limit_bytes < 0 else limit_bytes
        self._lasting_limit = int(self.limit_bytes * _LASTING_SHARE)
        self._sessions_limit = int(self.limit_bytes * _SESSIONS_SHARE)
        self._clock = clock
        self._warned_at = -_WARN_SECONDS
        self.lasting_bytes = 0
        self.passing_bytes = 0

    def admits(self, size: int, what: str) -> bool:
        """Whether there is room for so much more lasting state; `what` is for the log if there is not."""
        if size <= 0 or _LARGEST_SHARE * size <= self._lasting_limit - self.lasting_bytes:
            return True
        now = self._clock.monotonic()
        if now - self._warned_at >= _WARN_SECONDS:
            self._warned_at = now
            log.warning(
                "%s refused: too little is left of client.state.max.bytes, raise it if this is no attack",
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
        """Whether there is room for so much more of sessions."""
        return self.lasting_bytes + self.passing_bytes + size <= self._sessions_limit

    @property
    def over_bytes(self) -> int:
        """How much more is held than the limit; below 0 where it is less."""
        return self.lasting_bytes + self.passing_bytes - self.limit_bytes
