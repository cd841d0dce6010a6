"""Admission: limits how many large requests run at once, by their memory.

A request that must wait is not decoded yet: its bytes stay with its connection, whose memory is bounded (see
`runtime.connections.memory`). A request counts until its handler returns, or, if that continues in steps,
until the last step. Decoding one of the largest takes up to 0.1 s: the next one then waits for another turn
of the loop.
"""

from collections.abc import Callable

_MEMORY_OF_A_BYTE = 48
"""Estimated bytes of memory for each byte of a request, with its response: a partition number of four
bytes counts as 192 bytes."""

SLICE_SECONDS = 0.01
"""Limits how much work starts in a turn of the loop, and how long one piece of it may take."""

Soon = Callable[[Callable[[], None]], object]
"""Calls a function in the next turn of the loop."""


class Admission:
    """For one thread. `most_bytes` limits all requests together; one request is always admitted."""

    __slots__ = (
        "_began", "_in_turn", "_monotonic", "_most_bytes", "_present", "_soon", "_spent_seconds", "_taken",
        "_waiting",
    )  # fmt: skip

    def __init__(self, most_bytes: int, soon: Soon, monotonic: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._soon, self._monotonic = soon, monotonic
        self._taken = 0
        self._began = 0.0
        self._in_turn = False
        """Whether a request was admitted in this turn of the loop; `_spent_seconds` is their time so far."""
        self._spent_seconds = 0.0
        self._present = 0
        self._waiting: dict[Callable[[], None], None] = {}

    def admit(self, size: int, when_others_end: Callable[[], None]) -> bool:
        """Whether a request of this size may be handled now; it counts until `handled` or the next `admit`.

        If not, `when_others_end` is called once, when the caller may try again.
        """
        self.handled()
        self._waiting.pop(when_others_end, None)
        cost = min(self._most_bytes, size * _MEMORY_OF_A_BYTE)
        is_full = self._taken and self._taken + cost > self._most_bytes
        if is_full or self._spent_seconds >= SLICE_SECONDS:
            self._waiting[when_others_end] = None
            return False
        if not self._in_turn:
            self._in_turn = True
            self._soon(self._on_turn_over)
        self._began = self._monotonic()
        self._taken += cost
        self._present = cost
        return True

    def keep(self) -> int:
        """Keep the memory of the present request, which continues in steps; return it for `give_back`."""
        kept, self._present = self._present, 0
        if kept:
            self._spent_seconds += self._monotonic() - self._began
        return kept

    def handled(self) -> None:
        """Note that the handler of the present request has returned."""
        self.give_back(self.keep())

    def give_back(self, kept: int) -> None:
        """Release memory that `keep` returned."""
        if not kept:
            return
        self._taken -= kept
        if self._spent_seconds < SLICE_SECONDS:
            self._wake()

    def _on_turn_over(self) -> None:
        self._in_turn, self._spent_seconds = False, 0.0
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for call in waiting:
            call()

    def forget(self, when_others_end: Callable[[], None]) -> None:
        """Remove a waiting request: its client has disconnected."""
        self._waiting.pop(when_others_end, None)
