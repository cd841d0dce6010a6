"""The console's sources of frames: the broker that started it, or a proxy of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar, cast

from barnabas.errors import ConnectionFailed
from barnabas.lens.capture.relay_watch import RelayWatch
from barnabas.lens.watching.exchanges import WatchedConnection, WatchedExchange
from barnabas.lens.watching.frame_watch import Selection
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.event_loop import EventLoop

_Result = TypeVar("_Result")
_PATIENCE_S: Final = 10.0


class PipeFrames:
    """Frames of the broker at the other end of a pipe. A `FrameSource`."""

    place = ""

    def __init__(self, descriptor: int) -> None:
        self._pipe: Connection[Any, Any] = Connection(descriptor)
        self._turn = threading.Lock()

    def connections(self) -> list[WatchedConnection]:
        """The connections that are open."""
        return cast("list[WatchedConnection]", self._ask("connections"))

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        """Watch connections for some seconds; returns their exchanges behind a number."""
        return cast("list[WatchedExchange]", self._ask("look", selection, after))

    def exchange(self, number: int) -> WatchedExchange | None:
        """One exchange; None: it was too long ago."""
        return cast("WatchedExchange | None", self._ask("exchange", number))

    def close(self) -> None:
        """Give the pipe back; the broker's thread for it ends."""
        self._pipe.close()

    def _ask(self, name: str, *arguments: object) -> object:
        with self._turn:
            self._pipe.send((name, arguments))
            if not self._pipe.poll(_PATIENCE_S):
                self._pipe.close()
                raise OSError("the broker does not answer")
            try:
                return self._pipe.recv()
            except EOFError:
                raise OSError("the broker has ended") from None


class ProxyFrames:
    """Frames of the clients of a proxy, which has a thread and a loop of its own. A `FrameSource`."""

    def __init__(self, to: tuple[str, int], port: int) -> None:
        """Listen on this machine alone, for a broker; port 0 is any free one.

        Raises:
            ConnectionFailed: the port is not available.
        """
        self._loop = EventLoop()
        self._watch = RelayWatch(self._loop.network, SystemClock())
        try:
            host, own = self._watch.relay.open(to, port)
        except ConnectionFailed:
            self._loop.close()
            raise
        self.place = f"{host}:{own}"
        self._thread = threading.Thread(target=self._loop.run, name="frames", daemon=True)
        self._thread.start()

    def connections(self) -> list[WatchedConnection]:
        """The connections that are open."""
        return self._ask(self._watch.connections)

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        """Watch connections for some seconds; returns their exchanges behind a number."""
        return self._ask(lambda: self._watch.look(selection, after))

    def exchange(self, number: int) -> WatchedExchange | None:
        """One exchange; None: it was too long ago."""
        return self._ask(lambda: self._watch.exchange(number))

    def close(self) -> None:
        """Close the connections, and end the thread."""
        self._loop.call(self._watch.relay.close)
        self._loop.stop()
        self._thread.join()

    def _ask(self, action: Callable[[], _Result]) -> _Result:
        done: Future[_Result] = Future()
        try:
            self._loop.call(lambda: done.set_result(action()))
        except RuntimeError:
            raise OSError("the proxy has ended") from None
        return done.result(_PATIENCE_S)
