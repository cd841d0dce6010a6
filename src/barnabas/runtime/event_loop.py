"""EventLoop: a broker's loop with network, timers, signals and orderly stop."""

import signal
from collections.abc import Callable
from functools import partial

from barnabas.runtime.loops.poll_loop import PollLoop
from barnabas.runtime.loops.timers import LoopTimers
from barnabas.runtime.sockets.listener import SocketOptions
from barnabas.runtime.sockets.network import LoopNetwork


class EventLoop:
    """A loop of its own; everything but `call` and `stop` belongs to the running thread."""

    def __init__(self, options: SocketOptions | None = None) -> None:
        """`options` are for the ports that it opens."""
        self._loop = PollLoop()
        self.network = LoopNetwork(self._loop, options)
        self.timers = LoopTimers(self._loop)

    def call(self, callback: Callable[[], None]) -> None:
        """Have `callback` called on the loop; from any thread.

        Raises:
            RuntimeError: the loop has ended.
        """
        self._loop.call_soon_threadsafe(callback)

    def advance(self, seconds: float) -> None:
        """Have all deadlines come so much earlier: for a clock that is set forward."""
        self._loop.advance(seconds)

    def on_signals(self, callback: Callable[[str], None]) -> None:
        """Call with the signal's name on SIGTERM, SIGINT and SIGHUP; only in the main thread.

        SIGHUP stays ignored where it is, as under nohup.
        """
        for number in _ending_signals():
            self._loop.on_signal(number, partial(callback, number.name))

    def on_early_signals(self, cancel: Callable[[], bool]) -> None:
        """Call `cancel` on these signals until `on_signals`, while nothing runs yet.

        If it returns False, the signal does what it did before this call.
        """
        for number in _ending_signals():
            self._loop.on_early_signal(number, cancel)

    def run(self) -> None:
        """Serve until `stop`, then give everything back."""
        try:
            self._loop.run()
        finally:
            self._loop.close()

    def close(self) -> None:
        """Give everything back without having run."""
        self._loop.close()

    def stop(self) -> None:
        """End `run` after the callbacks of the present event; from any thread."""
        self._loop.stop()


def _ending_signals() -> list[signal.Signals]:
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *(() if ignored else (signal.SIGHUP,))]
