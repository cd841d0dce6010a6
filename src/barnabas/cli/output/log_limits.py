"""LogLimits: lets few of a kind of line into the log, so that no client can fill a disk with them.

Each refused connection is a line of 130 bytes, and a client may have 3,000 refused in a second.
"""

import logging
import time
from collections.abc import Callable

MOST_AT_ONCE = 1_000
"""Of one kind: a large broker may have something to report of each of its partitions."""
PER_SECOND = 1.0
"""After that. A kind makes some 10 MB a day then."""


class LogLimits(logging.Filter):
    """A kind of line is one message of one logger. The next line that is let through has `left_out`.

    What is logged for debugging has no limit.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`monotonic` is a clock, in seconds."""
        super().__init__()
        self._monotonic = monotonic
        self._kinds: dict[tuple[str, str], _Kind] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record becomes a line."""
        if record.levelno <= logging.DEBUG:
            return True
        # Messages of ours are constants, so there are few kinds. Those of others may be anything.
        message = str(record.msg) if record.name.startswith("barnabas") else ""
        now, key = self._monotonic(), (record.name, message)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = _Kind(now)
        if not kind.takes(now):
            return False
        if kind.left_out:
            record.left_out, kind.left_out = kind.left_out, 0
        return True


class _Kind:
    __slots__ = ("_at", "_room", "left_out")

    def __init__(self, now: float) -> None:
        self._at = now
        self._room = float(MOST_AT_ONCE)
        self.left_out = 0

    def takes(self, now: float) -> bool:
        self._room = min(MOST_AT_ONCE, self._room + PER_SECOND * (now - self._at))
        self._at = now
        if self._room < 1:
            self.left_out += 1
            return False
        self._room -= 1
        return True
