"""How a command ends that is told to by a signal: in order, as by Ctrl-C."""

import signal
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
_told: Final[list[BaseException]] = []


def end_in_order() -> None:
    """Have SIGTERM and SIGHUP end what runs as an exception does: by default we would die on the spot.

    What waits in a `with` is closed then: a member commits and leaves. `serve` and `wire proxy` have
    an end of their own. Whoever had a signal ignored, as nohup does, has it ignored still.
    """
    for number, default in _DEFAULTS.items():
        if signal.getsignal(number) == default:
            signal.signal(number, _end)


@contextmanager
def ending_after(wake: Callable[[], None]) -> Iterator[None]:
    """Put an ending off to the end of the block; `wake` is to bring that about by a WakeupError.

    For what may not be left anywhere: an event loop that an exception went through in the middle of
    its own work may wait for ever, and what was read would be lost where nobody has it yet.
    """
    _wakes.append(wake)
    try:
        with suppress(WakeupError):
            yield
    finally:
        _wakes.pop()
        if _told:
            raise _told.pop()


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    if number == signal.SIGINT:
        ending: BaseException = KeyboardInterrupt()
    else:
        # The system and the shell each tell of a terminal that is gone: no reason to hurry.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        ending = SystemExit(_BY_SIGNAL + number)
    if not _wakes:
        raise ending
    _told[:] = [ending]
    _wakes[-1]()
