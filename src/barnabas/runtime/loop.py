"""EventLoop: the one loop of a broker, with its network and timers, signals and orderly stop."""

import asyncio
import logging
import signal
from collections.abc import Callable

from barnabas.runtime.listener import SocketOptions
from barnabas.runtime.network import LoopNetwork
from barnabas.runtime.timers import LoopTimers

log = logging.getLogger(__name__)


class EventLoop:
    """An asyncio loop of its own; everything but `call` and `stop` belongs to the running thread."""

    def __init__(self, options: SocketOptions | None = None) -> None:
        """`options` are for the ports that it opens."""
        self._loop = asyncio.new_event_loop()
        self.network = LoopNetwork(self._loop, options)
        self.timers = LoopTimers(self._loop)

    def call(self, callback: Callable[[], None]) -> None:
        """Have `callback` called on the loop; from any thread."""
        self._loop.call_soon_threadsafe(callback)

    def on_signals(self, callback: Callable[[str], None]) -> None:
        """Call with the signal's name on SIGTERM and SIGINT; only in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, callback, number.name)

    def run(self) -> None:
        """Serve until `stop`, then give everything back."""
        try:
            self._loop.run_forever()
        finally:
            # Look-ups of names may still be in their threads; they hold nothing of ours.
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def close(self) -> None:
        """Give everything back without having run."""
        self._loop.close()

    def stop(self) -> None:
        """End `run` after the callbacks of the present event; from any thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
