"""BatchedPolling: polls the descriptors of quiet connections together, at intervals.

Waking for one small request costs several times as much as handling it, because the processor's caches
hold other data by then. If many connections seldom send and none is in a hurry, a short delay lets one
wake-up serve several of them, as network cards do with their interrupts.
"""

from collections.abc import Callable, Iterator
from functools import partial

from barnabas.ports import Timer
from barnabas.runtime.loops.event_source import EventSource
from barnabas.runtime.loops.poller import READ, Poller, best_poller

LOOK_SECONDS = 0.1
"""The longest delay until a ready descriptor in the lane is noticed."""

ENOUGH = 200
"""With fewer connections, a poll seldom finds more than one ready: all are polled at once."""


class BatchedPolling:
    """Readers of a loop that may be called late. For the loop's thread.

    Until they are `enough`, and again when they are less than half of that, the loop itself watches
    them, as it does all others.
    """

    __slots__ = ("_enough", "_loop", "_make_poller", "_next_look", "_poller", "_readers")

    def __init__(
        self,
        loop: EventSource,
        *,
        enough: int = ENOUGH,
        make_poller: Callable[[], Poller] = best_poller,
    ) -> None:
        self._loop = loop
        self._enough = enough
        self._make_poller = make_poller
        self._poller: Poller | None = None
        self._next_look: Timer | None = None
        self._readers: dict[int, Callable[[], object]] = {}

    def enter(self, fd: int, callback: Callable[[], object]) -> None:
        """From now on a reader of the loop may be called late."""
        self._readers[fd] = callback
        if self._poller is not None:
            self._take(self._poller, fd)
        elif len(self._readers) >= self._enough:
            poller = self._poller = self._make_poller()
            for each in self._readers:
                self._take(poller, each)
            self._next_look = self._loop.call_later(LOOK_SECONDS, self._look)

    def leave(self, fd: int) -> None:
        """It is the loop's again, which calls it as soon as there is something."""
        callback = self._readers.pop(fd)
        poller = self._poller
        if poller is None:
            return
        self._give_back(poller, fd, callback)
        if len(self._readers) < self._enough / 2:
            for each, its_callback in self._readers.items():
                self._give_back(poller, each, its_callback)
            poller.close()
            self._poller = None
            assert self._next_look is not None
            self._next_look.cancel()

    def _take(self, poller: Poller, fd: int) -> None:
        self._loop.remove_reader(fd)
        poller.watch(fd, 0, READ)

    def _give_back(self, poller: Poller, fd: int, callback: Callable[[], object]) -> None:
        poller.watch(fd, READ, 0)
        self._loop.add_reader(fd, callback)

    def _look(self) -> None:
        assert self._poller is not None
        self._next_look = self._loop.call_later(LOOK_SECONDS, self._look)
        self._call_all(iter(self._poller.wait(0)))

    def _call_all(self, ready: Iterator[tuple[int, int]]) -> None:
        readers, all_called = self._readers, False
        try:
            for fd, _ in ready:
                # It may have left meanwhile.
                if (callback := readers.get(fd)) is not None:
                    callback()
            all_called = True
        finally:
            if not all_called:
                # What fails in one is no matter of the others.
                self._loop.call_soon(partial(self._call_all, ready))
