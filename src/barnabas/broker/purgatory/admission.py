"""Admission: limits how many large requests run at once, by their memory.

One that has to wait is not read yet: it stays with its connection, whose memory is bounded (see
`runtime.connections.memory`). What is done when its handler returns takes no memory more, and what goes
on in steps takes its part until it ends. To read one of the largest takes up to 0.1 s: the next then waits
for another turn of the loop.
"""

from collections.abc import Callable

_MEMORY_OF_A_BYTE = 48
"""What a byte of a request becomes, with its answer, about: a partition's number of four bytes is
charged with 192 bytes."""

SLICE_SECONDS = 0.01
"""Limits how much work starts in a turn of the loop, and how long one piece of it may take."""

Soon = Callable[[Callable[[], None]], object]
"""Has something called in the next turn of the loop."""


class Admission:
    """For one thread. `most_bytes` is what all may take together; one is always let in."""

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
        """Whether one was let in in this turn of the loop, which have taken `_spent_seconds` so far."""
        self._spent_seconds = 0.0
        self._present = 0
        self._waiting: dict[Callable[[], None], None] = {}

    def admit(self, size: int, when_others_end: Callable[[], None]) -> bool:
        """Whether a request of so many bytes may be handled now, until `handled` or the next one.

        If not, who asked is called once, when it may ask again.
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
        """The handler of the present request goes on in steps: what it takes until `give_back`."""
        kept, self._present = self._present, 0
        if kept:
            self._spent_seconds += self._monotonic() - self._began
        return kept

    def handled(self) -> None:
        """The handler of the present request has returned."""
        self.give_back(self.keep())

    def give_back(self, kept: int) -> None:
        """So much is not taken any more."""
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
        """Remove a waiting request: its client is gone."""
        self._waiting.pop(when_others_end, None)
