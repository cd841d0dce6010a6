"""ClientMemory: the bytes that the broker keeps for its clients from one request to the next.

Sizes are estimates, and not below what is taken. Who holds something charges and discharges it.
"""

_NO_LIMIT = 2**62


class ClientMemory:
    """One account for all clients of a broker. For one thread.

    `passing_bytes`: what is held of state that may end at any time, as its client then begins anew.
    """

    __slots__ = ("limit_bytes", "passing_bytes")

    def __init__(self, limit_bytes: int) -> None:
        """A negative limit is none."""
        self.limit_bytes = _NO_LIMIT if limit_bytes < 0 else limit_bytes
        self.passing_bytes = 0

    def fits(self, size: int) -> bool:
        """Whether so much more stays below the limit."""
        return self.passing_bytes + size <= self.limit_bytes
