"""Wait for ready descriptors: by epoll on Linux, by `selectors` elsewhere."""

import select
import selectors
import sys
from typing import Protocol

READ = 1
WRITE = 4
"""Bits of a mask, with epoll's values. An error or a hang-up reads as both."""


class Poller(Protocol):
    """Watches descriptors."""

    def watch(self, fd: int, before: int, after: int) -> None:
        """Change for what a descriptor is watched, from one mask to another; 0 is not at all."""
        ...

    def wait(self, seconds: float) -> list[tuple[int, int]]:
        """Descriptors and masks, once some are ready or the time is over; forever if negative."""
        ...

    def close(self) -> None:
        """Watch nothing any more."""
        ...


class EpollPoller:
    """Linux's epoll. `wait` is the system's own function: nothing stands between it and the loop."""

    __slots__ = ("_epoll", "wait")

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self.wait = self._epoll.poll

    def watch(self, fd: int, before: int, after: int) -> None:
        """Change for what a descriptor is watched."""
        if not before:
            self._epoll.register(fd, after)
        elif after:
            self._epoll.modify(fd, after)
        else:
            self._epoll.unregister(fd)

    def close(self) -> None:
        """Watch nothing any more."""
        self._epoll.close()


_KINDS = {
    READ: selectors.EVENT_READ,
    WRITE: selectors.EVENT_WRITE,
    READ | WRITE: selectors.EVENT_READ | selectors.EVENT_WRITE,
}
_MASKS = {kind: mask for mask, kind in _KINDS.items()}


class SelectorPoller:
    """The best of kqueue, poll and select that the system has."""

    __slots__ = ("_selector",)

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def watch(self, fd: int, before: int, after: int) -> None:
        """Change for what a descriptor is watched."""
        if not before:
            self._selector.register(fd, _KINDS[after])
        elif after:
            self._selector.modify(fd, _KINDS[after])
        else:
            self._selector.unregister(fd)

    def wait(self, seconds: float) -> list[tuple[int, int]]:
        """Descriptors and masks, once some are ready or the time is over; forever if negative."""
        ready = self._selector.select(None if seconds < 0 else seconds)
        return [(key.fd, _MASKS[kind]) for key, kind in ready]

    def close(self) -> None:
        """Watch nothing any more."""
        self._selector.close()


def best_poller() -> Poller:
    """The cheapest one of this system."""
    return EpollPoller() if sys.platform == "linux" else SelectorPoller()
