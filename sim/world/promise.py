"""Promise: something that a task waits for. It is kept or broken once."""

from collections.abc import Callable, Generator
from typing import Generic, Protocol, TypeVar

_T = TypeVar("_T")


class Awaited(Protocol):
    """What a task waits for, whatever comes of it."""

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call then."""
        ...


class Promise(Generic[_T]):
    """To be awaited by a task of a `Process`."""

    __slots__ = ("_callbacks", "_error", "_value", "is_settled")

    def __init__(self) -> None:
        self.is_settled = False
        self._value: list[_T] = []
        self._error: Exception | None = None
        self._callbacks: list[Callable[[], None]] = []

    def keep(self, value: _T) -> None:
        """Give the value; nothing if it is settled already."""
        if not self.is_settled:
            self._value.append(value)
            self._settle()

    def fail(self, error: Exception) -> None:
        """Raise this for who waits; nothing if it is settled already."""
        if not self.is_settled:
            self._error = error
            self._settle()

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call then."""
        self._callbacks.append(callback)

    def __await__(self) -> Generator["Awaited", None, _T]:
        """Wait."""
        if not self.is_settled:
            yield self
        if self._error is not None:
            raise self._error
        return self._value[0]

    def _settle(self) -> None:
        self.is_settled = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
