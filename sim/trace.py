"""Trace: what happened in one run, line by line: the last lines to read, a digest to compare runs by."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

KEPT_LINES = 200

_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}


class Trace:
    """Lines with their virtual times. Two runs of one seed have one digest."""

    def __init__(self, now: Callable[[], float], limit: int | None = KEPT_LINES) -> None:
        """`limit`: of the lines that are kept; None keeps all."""
        self._now = now
        self._hash = blake2b(digest_size=16)
        self.lines: deque[str] = deque(maxlen=limit)
        self.count = 0

    def add(self, who: str, what: str) -> None:
        """Write down that something happened."""
        line = f"{self._now():11.6f} {who:<12} {what}"
        self._hash.update(line.encode())
        self.lines.append(line)
        self.count += 1

    @property
    def digest(self) -> str:
        """Of all lines there were, kept or not."""
        return self._hash.hexdigest()


class TraceHandler(logging.Handler):
    """Puts what the broker logs into the trace; what must never be logged goes to `on_error`.

    A run is one thread. What others in this process log is no part of it.
    """

    def __init__(self, trace: Trace, on_error: Callable[[str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._trace = trace
        self._on_error = on_error
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line of the log."""
        if record.thread != self._thread:
            return
        extra = " ".join(
            f"{name}={value}" for name, value in vars(record).items() if name not in _STANDARD
        )
        text = f"{record.levelname.lower()}: {record.getMessage()} {extra}"
        if record.exc_info:
            text = f"{text}\n{logging.Formatter().formatException(record.exc_info)}"
        self._trace.add("log", text)
        if record.levelno >= logging.ERROR:
            self._on_error(text)


@contextmanager
def logged(trace: Trace, on_error: Callable[[str], None]) -> Iterator[None]:
    """What brokers log goes into the trace; an error in it is a failure of the run."""
    logger = logging.getLogger("barnabas")
    handler = TraceHandler(trace, on_error)
    before = logger.level, logger.propagate
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before
