"""Latches: call back once, after a number of arrivals."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from barnabas.errors import BrokerError, ErrorCode

Key = TypeVar("Key")


class Latch:
    """Calls `done` after `count` arrivals."""

    __slots__ = ("_done", "_left")

    def __init__(self, count: int, done: Callable[[], None]) -> None:
        self._left = count
        self._done = done

    def arrive(self) -> None:
        """Count one arrival."""
        self._left -= 1
        if not self._left:
            self._done()


class CodeLatch(Generic[Key]):
    """Calls `done` with an error code for each key, in the order of the keys; at once without keys."""

    def __init__(self, keys: Iterable[Key], done: Callable[[dict[Key, ErrorCode]], None]) -> None:
        self._keys = dict.fromkeys(keys)
        self._codes: dict[Key, ErrorCode] = {}
        self._done = done
        if not self._keys:
            done({})

    def arrive(self, key: Key, code: ErrorCode) -> None:
        """Take the error code of one key."""
        self._codes[key] = code
        if len(self._codes) == len(self._keys):
            self._done({each: self._codes[each] for each in self._keys})

    def begin(self, key: Key, begin: Callable[[Callable[[ErrorCode], None]], None]) -> None:
        """Call `begin`, which reports the code of `key` to its argument, or raises a BrokerError."""
        try:
            begin(lambda code: self.arrive(key, code))
        except BrokerError as error:
            self.arrive(key, error.code)
