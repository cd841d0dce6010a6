"""Defer signals during work that must not be interrupted.

A handler may raise between any two steps of the main thread, as Python's own handler of Ctrl-C does. If
such an exception interrupts an event loop amid its own work, the loop may wait for ever, scheduled data
may never be sent, and a record that was taken out of a buffer may be lost.
"""

import signal
import threading
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any, Final, Self

_Handler = Callable[[int, FrameType | None], Any]

_RAISING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""Signals whose handlers end what runs, by custom: these are deferred where Python code handles them."""

# The C functions below `signal`, whose conversion to enums and back takes ten times as long as the rest.
_signal: Final[Any] = import_module("_signal")
_get: Final[Callable[[int], Any]] = _signal.getsignal
_set: Final[Callable[[int, Any], Any]] = _signal.signal


class DeferredSignals:
    """`with` it: on the main thread, handlers of signals run at the end of the block.

    `on_signal`, if given, is called when a signal arrives, so that the caller can call `deliver` early.
    It may be called between any two steps. `immediate`: handlers run at once from now on. `caught`
    has the signals that arrived and are not handled yet.
    """

    __slots__ = ("_before", "_on_signal", "caught", "immediate")

    def __init__(self, on_signal: Callable[[], object] | None = None) -> None:
        self.immediate = False
        self._on_signal = on_signal
        self._before: dict[int, _Handler] = {}
        self.caught: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _RAISING:
                    handler = _get(number)
                    if callable(handler):
                        self._before[number] = handler
                        _set(number, self._catch)
            except BaseException:
                self._restore()
                raise
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._restore()
        finally:
            self.deliver()

    def deliver(self) -> None:
        """Run the handlers of what came; raises what they raise."""
        while self.caught:
            number, frame = self.caught.pop(0)
            self._before[number](number, frame)

    def _catch(self, number: int, frame: FrameType | None) -> None:
        if self.immediate:
            self._before[number](number, frame)
            return
        self.caught.append((number, frame))
        if self._on_signal is not None:
            self._on_signal()

    def _restore(self) -> None:
        """Give each signal its handler back, also where one of them raises meanwhile."""
        try:
            for number, handler in self._before.items():
                _set(number, handler)
        except BaseException:
            for number, handler in self._before.items():
                _set(number, handler)
            raise
