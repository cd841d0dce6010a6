"""How a command ends that is told to by a signal: in order, as by Ctrl-C."""

import signal
import sys
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
_BY_SIGNAL: Final = 128


def end_in_order() -> None:
    """Have SIGTERM and SIGHUP end what runs as an exception does: by default we would die on the spot.

    What waits in a `with` is closed then: a member commits and leaves. `serve` and `wire proxy` have
    an end of their own. Whoever had a signal ignored, as nohup does, has it ignored still.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    # The system and the shell each tell of a terminal that is gone: the second is no reason to hurry.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.exit(_BY_SIGNAL + number)
