"""NodeThread: a broker on a thread of its own, started and stopped from another thread."""

import threading

from barnabas.broker.server.node import Node
from barnabas.config.listeners import Endpoint

_START_SECONDS = 30.0
_STOP_SECONDS = 30.0


class NodeThread:
    """`start` comes first. What ends the broker early is raised by whatever is called next."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._started = threading.Event()
        self._addresses: dict[str, Endpoint] = {}
        self._failure: BaseException | None = None

    def start(self) -> dict[str, Endpoint]:
        """Start the broker; the addresses for clients, by listener.

        Raises:
            KafkaError: it could not start.
            StartCancelled: ZooKeeper did not answer for half a minute.
        """
        self._thread.start()
        if not self._started.wait(_START_SECONDS):
            self.kill()
            raise AssertionError("the broker did not start in time")
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self._addresses

    def begin_stop(self, *, hand_over: bool = True) -> None:
        """As `stop`, without waiting for it."""
        self.node.stop(hand_over=hand_over)

    def stop(self, *, hand_over: bool = True) -> None:
        """Stop the broker cleanly; `hand_over`: others lead its partitions first.

        Raises:
            BaseException: whatever ended the broker's thread early.
        """
        self.node.stop(hand_over=hand_over)
        self._join()

    def kill(self) -> None:
        """End the broker with nothing answered or written; raises as `stop`."""
        self.node.kill()
        self._join()

    def _join(self) -> None:
        self._thread.join(_STOP_SECONDS)
        assert not self._thread.is_alive(), "the broker did not stop in time"
        if self._failure is not None:
            raise self._failure

    def _serve(self) -> None:
        try:
            self.node.run(self._on_started)
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._failure = error
            self._started.set()

    def _on_started(self, addresses: dict[str, Endpoint]) -> None:
        self._addresses = addresses
        self._started.set()
