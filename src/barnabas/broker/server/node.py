"""Node: a broker on this machine: event loop, disk, network, clock, and a registry in a file or ZooKeeper."""

import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.connections.client_connections import MakeClient
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.server.assembly import Environment
from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.server.registry_opening import HandOver, RegistryOpening
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.errors import KafkaError
from barnabas.ports import Clock, Network, SharedRegistry, Timers
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.event_loop import EventLoop
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.heap import SECONDS, system_heap
from barnabas.runtime.registries.start_waits import StartWaits
from barnabas.runtime.sockets.listener import SocketOptions
from barnabas.runtime.worker import ThreadWorker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from barnabas.broker.metrics.broker_metrics import BrokerMetrics

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")
_SYSTEM_CLOCK = SystemClock()
_STEPS_SECONDS = 30.0
_LOOK_SECONDS = 0.005
_LOOKS = 1000
"""How often a member's start looks whether a controller knows it; without one it serves what it can."""


class Parts(NamedTuple):
    """What a node is made of, where a test has parts of its own."""

    clock: Clock = _SYSTEM_CLOCK
    make_disk: Callable[..., RealDisk] = RealDisk
    make_client: MakeClient = ClientConnection
    make_network: Callable[[Network, Timers], Network] = lambda network, _timers: network
    """Gets the network and the timers of its loop."""


_PARTS = Parts()


class Node:
    """One broker and the loop it runs on. `run` blocks its thread; `stop` is for any thread."""

    def __init__(
        self,
        config: BrokerConfig,
        *,
        ephemeral: bool = False,
        parts: Parts = _PARTS,
        metrics: tuple[str, int] | None = None,
        session: Callable[[HandOver], SharedRegistry] | None = None,
    ) -> None:
        """`ephemeral`: the log directories are removed when it has stopped.

        `metrics`: host and port where Prometheus gets them; port 0 is any free one.
        `session`: makes the session with the registry of a cluster in this process.

        Raises:
            ConfigError: there are to be metrics, and prometheus_client is not installed.
        """
        self._metrics = None if metrics is None else _new_metrics(*metrics)
        if self._metrics is not None:
            parts = parts._replace(make_client=self._metrics.connect)
        self._loop = EventLoop(_socket_options(config))
        self._disk = parts.make_disk(call=self._loop.call)
        self._worker = ThreadWorker()
        self._config = config
        self._ephemeral = ephemeral
        self._stopping = False
        self._waits = StartWaits()
        self._heap = system_heap()
        registries = RegistryOpening(config, parts.make_disk, self._loop.call, self._waits, session)
        self._server = BrokerServer(
            config,
            Environment(
                parts.clock,
                self._disk,
                parts.make_network(self._loop.network, self._loop.timers),
                self._loop.timers,
                SystemEntropy(),
                self._worker,
            ),
            registries.open,
            parts.make_client,
        )

    def run(
        self,
        on_started: Callable[[dict[str, Endpoint]], None],
        *,
        stop_on_signals: bool = False,
    ) -> None:
        """Start, call `on_started` with the addresses for clients, serve until `stop`.

        A member of a cluster has started when the controller has let it know the brokers: before, its
        Metadata would name none, and librdkafka asks again only minutes later.

        Raises:
            StartCancelled: it was stopped while its start waited for ZooKeeper.
            KafkaError: it could not start.
        """
        try:
            if self._metrics is not None:
                self._metrics.open(self.call_in_steps)
            if stop_on_signals:
                self._loop.on_early_signals(self._waits.cancel)
            with self._waits.of_this_thread():
                addresses = self._server.start()
        except BaseException:
            self._close()
            self._loop.close()
            raise
        if stop_on_signals:
            self._loop.on_signals(lambda _name: self._stop())
        self._keep_heap_small()
        if self._metrics is not None:
            self._metrics.begin(self._server.broker)
        self._when_known(partial(on_started, addresses), _LOOKS)
        try:
            self._loop.run()
        finally:
            self._close()
            if self._ephemeral:
                for directory in self._config.directories:
                    self._disk.remove(directory)

    @property
    def metrics_port(self) -> int | None:
        """The port of the metrics while it runs; None: there are none."""
        return None if self._metrics is None else self._metrics.port

    def watch_frames(self, pipe: "Connection[Any, Any]") -> None:
        """Let a console at the other end of a pipe watch connections, until it closes that; on the loop."""
        # Imported late: most brokers have none.
        from barnabas.broker.server.frame_server import FrameServer
        from barnabas.broker.server.watched_clients import WatchedClients

        watched = WatchedClients(self._server.broker, self._server.connections)
        FrameServer(watched, self.call, pipe).start()

    def stop(self, *, hand_over: bool = True) -> None:
        """Have `run` return once all is answered and closed; from any thread.

        `hand_over`: a member of a cluster has its leaders moved away first.
        """
        self._waits.cancel()
        with suppress(RuntimeError):
            # A loop that is closed has stopped already.
            self._loop.call(partial(self._stop, hand_over=hand_over))

    def kill(self) -> None:
        """Have `run` return at once, with nothing answered or written; from any thread."""
        self._waits.cancel()
        with suppress(RuntimeError):
            self._loop.call(self._abandon)

    def create_topic(self, name: str, partitions: int, config: Mapping[str, str]) -> None:
        """Make a topic and return when it can be used; from any thread but the loop's.

        Raises:
            BrokerError: it exists, or name or properties are not allowed.
            StorageError: it cannot be written.
        """
        self.call(lambda: self._server.create_topic(name, partitions, config))

    def call(self, action: Callable[[], _Result]) -> _Result:
        """Return what `action` does on the loop, or raise what it raises; from any thread but the loop's.

        Raises:
            RuntimeError: the loop has ended.
        """
        done: Future[_Result] = Future()

        def act() -> None:
            try:
                done.set_result(action())
            except (KafkaError, OSError) as error:
                done.set_exception(error)
            except BaseException as error:
                done.set_exception(error)
                raise

        self._loop.call(act)
        return done.result()

    def call_in_steps(self, begin: Callable[[Broker], Generator[None, None, _Result]]) -> _Result:
        """As `call`, of what is done in steps, one for each turn of the loop: others are served between.

        Raises:
            TimeoutError: it is not done after 30 seconds.
            RuntimeError: the loop has ended.
        """
        done: Future[_Result] = Future()

        def step(steps: Generator[None, None, _Result]) -> None:
            try:
                next(steps)
            except StopIteration as end:
                done.set_result(end.value)
            except BaseException as error:
                done.set_exception(error)
                raise
            else:
                self._loop.timers.soon(lambda: step(steps))

        self._loop.call(lambda: step(begin(self._server.broker)))
        return done.result(_STEPS_SECONDS)

    def advance(self, seconds: float) -> None:
        """Have all that waits for a time happen so much earlier; on the loop, with a clock set forward."""
        self._loop.advance(seconds)

    def _when_known(self, act: Callable[[], None], looks: int) -> None:
        """Call `act` at once, of a member of a cluster once it knows itself to be one of the brokers."""
        member = self._server.broker.member
        known = member is None or member.node_id in member.image.brokers
        if known or not looks:
            act()
        else:
            self._loop.timers.after(_LOOK_SECONDS, partial(self._when_known, act, looks - 1))

    def _keep_heap_small(self) -> None:
        if self._heap is not None:
            # Where no descriptor is left for a look it is made the next time.
            with suppress(OSError):
                self._heap.trim()
            self._loop.timers.after(SECONDS, self._keep_heap_small)

    def _stop(self, *, hand_over: bool = True) -> None:
        if not self._stopping:
            self._stopping = True
            self._server.stop(self._loop.stop, hand_over=hand_over)

    def _abandon(self) -> None:
        self._stopping = True
        self._server.abandon()
        self._loop.stop()

    def _close(self) -> None:
        """End the threads there are besides the loop's."""
        if self._metrics is not None:
            self._metrics.close()
        self._worker.close()
        self._disk.close()


def _new_metrics(host: str, port: int) -> "BrokerMetrics":
    # Imported late: most brokers have none.
    from barnabas.broker.metrics.broker_metrics import BrokerMetrics

    return BrokerMetrics(host, port)


def _socket_options(config: BrokerConfig) -> SocketOptions:
    """What the properties say where they are given; the system's way is better than their defaults."""
    asked = {
        "socket.listen.backlog.size": ("backlog", config.socket_listen_backlog_size),
        "socket.send.buffer.bytes": ("send_buffer", config.socket_send_buffer_bytes),
        "socket.receive.buffer.bytes": ("receive_buffer", config.socket_receive_buffer_bytes),
    }
    return SocketOptions(**dict(asked[name] for name in asked if name in config.given))
