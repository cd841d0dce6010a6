"""Commands that end cleanly: on a signal, as on Ctrl-C, or with the process that started them."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from barnabas.errors import WakeupError

_DEFAULTS: Final = {
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}
_BY_SIGNAL: Final = 128
_wakes: Final[list[Callable[[], None]]] = []
_endings: Final[list[BaseException]] = []


def exit_cleanly_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into exceptions; by default they would kill the process on the spot.

    Every `with` block then closes: a consumer commits and leaves its group. `serve` and `wire
    proxy` handle signals themselves. A signal that was ignored, as by nohup, stays ignored.
    """
    for number, default in _DEFAULTS.items():
        if signal.getsignal(number) == default:
            signal.signal(number, _end)


@contextmanager
def defer_signals(wake: Callable[[], None]) -> Iterator[None]:
    """Defer a signal to the end of the block; `wake` must end the block's wait with a WakeupError.

    For code that an exception must not leave midway: an event loop could then wait forever, and
    records just read would be lost.
    """
    _wakes.append(wake)
    try:
        with suppress(WakeupError):
            yield
    finally:
        _wakes.pop()
        if _endings:
            raise _endings.pop()


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    if number == signal.SIGINT:
        ending: BaseException = KeyboardInterrupt()
    else:
        # The system and the shell each report a closed terminal: the second signal is not a request
        # to hurry.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        ending = SystemExit(_BY_SIGNAL + number)
    if not _wakes:
        raise ending
    _endings[:] = [ending]
    _wakes[-1]()


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on SIGTERM, SIGINT and SIGHUP; the last one stays ignored where it is, as under nohup."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    for number in (signal.SIGTERM, signal.SIGINT, *(() if ignored else (signal.SIGHUP,))):
        signal.signal(number, lambda _number, _frame: stop())


def when_stdin_ends(end: Callable[[], None]) -> None:
    """Call `end`, on another thread, when the process that started this one closes its end of the pipe.

    However that process ends, its end closes.
    """

    def follow() -> None:
        # Not through sys.stdin, whose lock would be in the way when the interpreter ends.
        while os.read(sys.stdin.fileno(), 1024):
            pass
        end()

    threading.Thread(target=follow, name="barnabas-stdin", daemon=True).start()
