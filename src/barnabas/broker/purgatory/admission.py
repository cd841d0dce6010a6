"""Admission: how many large requests are worked on at once, by the memory that they may take.

One that has to wait is not read yet: it stays with its connection, whose memory is bounded (see
`runtime.connections.memory`). What is done when its handler returns takes nothing; what goes on in steps
takes its part until it ends.
"""

from collections.abc import Callable

_MEMORY_OF_A_BYTE = 48
"""What a byte of a request becomes, with its answer, about: a partition's number of four bytes is
charged with 192 bytes."""


class Admission:
    """For one thread. `most_bytes` is what all may take together; one is always let in."""

    __slots__ = ("_most_bytes", "_present", "_taken", "_waiting")

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._taken = 0
        self._present = 0
        self._waiting: dict[Callable[[], None], None] = {}

    def admit(self, size: int, when_others_end: Callable[[], None]) -> bool:
        """Whether a request of so many bytes may be handled now, until `handled` or the next one.

        If not, who asked is called once, when it may ask again.
        """
        self.handled()
        self._waiting.pop(when_others_end, None)
        cost = min(self._most_bytes, size * _MEMORY_OF_A_BYTE)
        if self._taken and self._taken + cost > self._most_bytes:
            self._waiting[when_others_end] = None
            return False
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
        waiting, self._waiting = self._waiting, {}
        for call in waiting:
            call()

    def forget(self, when_others_end: Callable[[], None]) -> None:
        """Remove a waiting request: its client is gone."""
        self._waiting.pop(when_others_end, None)
