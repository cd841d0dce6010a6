"""LoopSignals: the signals of the process that an event loop is notified of; only in the main thread.

`poll_loop` is compiled, and handlers of signals must not be: a handler may be replaced while it runs, which
frees a compiled function in the midst of its call.
"""

import signal
from collections.abc import Callable
from types import FrameType

_Handler = Callable[[int, FrameType | None], object] | int | None


class LoopSignals:
    """Handlers that one loop has set, and those that it found."""

    __slots__ = ("_before", "_waker")

    def __init__(self, waker: int) -> None:
        """`waker`: the descriptor that wakes the loop when something is written to it."""
        self._waker = waker
        self._before: dict[int, _Handler] = {}

    def on_signal(self, number: int, note: Callable[[], object]) -> None:
        """Call `note` when the signal comes, and wake the loop; until `restore`."""
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        before = signal.signal(number, lambda _number, _frame: note())
        self._before.setdefault(number, before)

    def on_early_signal(self, number: int, cancel: Callable[[], bool]) -> None:
        """Call `cancel` when the signal comes, until `on_signal`.

        If it returns False, the signal does what it did before this call.
        """

        def handle(_number: int, _frame: FrameType | None) -> None:
            if not cancel():
                signal.signal(number, before)
                signal.raise_signal(number)

        before = signal.signal(number, handle)
        self._before.setdefault(number, before)

    def restore(self) -> None:
        """Give each signal the handler that it had before."""
        if self._before:
            signal.set_wakeup_fd(-1)
        for number, before in self._before.items():
            signal.signal(number, before)
