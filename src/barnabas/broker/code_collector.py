"""CodeCollector: one answer when each of several things has its error code."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from barnabas.errors import BrokerError, ErrorCode

Key = TypeVar("Key")


class CodeCollector(Generic[Key]):
    """Calls `done` with the codes once there is one for each key; at once if there are no keys."""

    def __init__(self, keys: Iterable[Key], done: Callable[[dict[Key, ErrorCode]], None]) -> None:
        self._keys = dict.fromkeys(keys)
        self._codes: dict[Key, ErrorCode] = {}
        self._done = done
        if not self._keys:
            done({})

    def told(self, key: Key, code: ErrorCode) -> None:
        """This is what became of one of them."""
        self._codes[key] = code
        if len(self._codes) == len(self._keys):
            self._done({each: self._codes[each] for each in self._keys})

    def begin(self, key: Key, begin: Callable[[Callable[[ErrorCode], None]], None]) -> None:
        """Begin something that is told its end later, or fails at once with a BrokerError."""
        try:
            begin(lambda code: self.told(key, code))
        except BrokerError as error:
            self.told(key, error.code)
