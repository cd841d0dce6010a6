"""Admission: how many large requests are worked on at once, by the memory that they may take.

One that has to wait is not read yet: it stays with its connection, whose memory is bounded (see
`runtime.connections.memory`). What is done when its handler returns takes no memory more, and what goes on in
steps takes its part until it ends. What begins in a turn of the loop is bounded likewise: to read one of the
largest takes up to 0.1 s.
"""

from collections.abc import Callable

_MEMORY_OF_A_BYTE = 48
"""What a byte of a request becomes, with its answer, about: a partition's number of four bytes is
charged with 192 bytes."""

Soon = Callable[[Callable[[], None]], object]
"""Has something called in the next turn of the loop."""


class Admission:
    """For one thread. `most_bytes` is what all may take together; one is always let in."""

    __slots__ = ("_begun", "_most_bytes", "_present", "_soon", "_taken", "_waiting")

    def __init__(self, most_bytes: int, soon: Soon) -> None:
        self._most_bytes = most_bytes
        self._soon = soon
        self._taken = 0
        self._begun = 0
        """What was let in in this turn of the loop."""
        self._present = 0
        self._waiting: dict[Callable[[], None], None] = {}

    def admit(self, size: int, when_others_end: Callable[[], None]) -> bool:
        """Whether a request of so many bytes may be handled now, until `handled` or the next one.

        If not, who asked is called once, when it may ask again.
        """
        self.handled()
        self._waiting.pop(when_others_end, None)
        cost = min(self._most_bytes, size * _MEMORY_OF_A_BYTE)
        most = self._most_bytes
        for others in (self._taken, self._begun):
            if others and others + cost > most:
                self._waiting[when_others_end] = None
                return False
        if not self._begun:
            self._soon(self._on_turn_over)
        self._begun += cost
        self._taken += cost
        self._present = cost
        return True

    def keep(self) -> int:
        """The handler of the present request goes on in steps: what it takes until `give_back`."""
        kept, self._present = self._present, 0
        return kept

    def handled(self) -> None:
        """The handler of the present request has returned."""
        self.give_back(self.keep())

    def give_back(self, kept: int) -> None:
        """So much is not taken any more."""
        if not kept:
            return
        self._taken -= kept
        if not self._begun:
            self._wake()

    def _on_turn_over(self) -> None:
        self._begun = 0
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for call in waiting:
            call()

    def forget(self, when_others_end: Callable[[], None]) -> None:
        """Remove a waiting request: its client is gone."""
        self._waiting.pop(when_others_end, None)
