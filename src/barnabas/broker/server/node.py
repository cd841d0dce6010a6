"""Node: a broker on this machine: event loop, disk, network, clock, and a registry in a file or ZooKeeper."""

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.connections.client_connections import MakeClient
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.server.assembly import Environment
from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.errors import ConfigError, KafkaError, RegistryUnavailable
from barnabas.log.directories.inventory import INVENTORY
from barnabas.ports import Clock, SharedRegistry
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.event_loop import EventLoop
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.heap import SECONDS, system_heap
from barnabas.runtime.registries.copies import COPY
from barnabas.runtime.registries.embedded import EmbeddedRegistry
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
_REGISTRY_FILES = 16
"""Descriptors for the registry: more than there are copies of it, or the rest is opened again."""
"""How often a member's start looks whether a controller knows it; without one it serves what it can."""


class Parts(NamedTuple):
    """What a node is made of, where a test has parts of its own."""

    clock: Clock = _SYSTEM_CLOCK
    make_disk: Callable[..., RealDisk] = RealDisk
    make_client: MakeClient = ClientConnection


_PARTS = Parts()
HandOver = Callable[[Callable[[], None]], None]
"""Has something called on a node's loop; for any thread."""


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
        self._make_disk = parts.make_disk
        self._worker = ThreadWorker()
        self._config = config
        self._directories = config.directories
        self._ephemeral = ephemeral
        self._session = session
        self._stopping = False
        self._waits = StartWaits()
        self._heap = system_heap()
        self._server = BrokerServer(
            config,
            Environment(
                parts.clock,
                self._disk,
                self._loop.network,
                self._loop.timers,
                SystemEntropy(),
                self._worker,
            ),
            self._open_registries,
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
                for directory in self._directories:
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

    def _open_registries(self, directories: Sequence[str]) -> Registries:
        if self._session is not None:
            own = self._session(self._loop.call)
            return Registries(own, own)
        today, of_07 = self._config.zookeeper_connect, self._config.zk_connect
        if today and today.rstrip("/") == of_07.rstrip("/"):
            raise ConfigError(
                f"zk.connect={of_07}: zookeeper.connect has that place; give one of them another path"
            )
        with ExitStack() as opened:
            shared = self._zookeeper("zookeeper.connect", today, opened) if today else None
            shared_07 = self._zookeeper("zk.connect", of_07, opened) if of_07 else None
            if shared is not None:
                registries = Registries(shared, shared, shared_07)
            else:
                _report_missing(self._disk, directories)
                embedded = EmbeddedRegistry(
                    # Its own disk: what is changed while the broker serves is written on a thread.
                    self._make_disk(_REGISTRY_FILES),
                    *map(_registry_file, directories),
                    hand_over=self._loop.call,
                )
                registries = Registries(embedded, of_07=shared_07)
                if len(self._directories) > 1:
                    registries = registries._replace(
                        spread=lambda usable: embedded.spread([*map(_registry_file, usable)])
                    )
            opened.pop_all()
        return registries

    def _zookeeper(self, name: str, place: str, opened: ExitStack) -> SharedRegistry:
        """A session, to be closed by `opened` if the other one cannot be had.

        `name`: the property that says where.
        """
        without = f"a broker needs no ZooKeeper: leave out {name}, or --set {name}= over a file's"
        try:
            from barnabas.runtime.registries.zookeeper import ZooKeeperRegistry
        except ImportError as error:
            what = f"ZooKeeper needs a package: pip install kazoo ({error})"
            raise ConfigError(f"{name}={place}: {what}; {without}") from None
        session_ms = self._config.zookeeper_session_timeout_ms
        try:
            registry = ZooKeeperRegistry(
                place,
                session_ms=session_ms,
                connection_ms=self._config.zookeeper_connection_timeout_ms or session_ms,
                hand_over=self._loop.call,
                waits=self._waits,
            )
        except RegistryUnavailable as error:
            what = f"{name}={place}: {error} (zookeeper.connection.timeout.ms)"
            raise RegistryUnavailable(f"{what}; {without}") from None
        opened.callback(registry.close)
        return registry


def _new_metrics(host: str, port: int) -> "BrokerMetrics":
    # Imported late: most brokers have none.
    from barnabas.broker.metrics.broker_metrics import BrokerMetrics

    return BrokerMetrics(host, port)


def _registry_file(directory: str) -> str:
    return f"{directory}/barnabas.registry"


def _report_missing(disk: RealDisk, directories: Sequence[str]) -> None:
    """Warn of directories that a broker has used, and that have no registry."""
    files = [*map(_registry_file, directories)]
    if any(disk.exists(path) for file in files for path in (file, file + COPY)):
        return
    if any(disk.exists(f"{directory}/{INVENTORY}") for directory in directories):
        what = "no registry beside the logs: topics are taken over without properties, and expire nothing"
        log.warning(what, extra={"file": files[0]})


def _socket_options(config: BrokerConfig) -> SocketOptions:
    """What the properties say where they are given; the system's way is better than their defaults."""
    asked = {
        "socket.listen.backlog.size": ("backlog", config.socket_listen_backlog_size),
        "socket.send.buffer.bytes": ("send_buffer", config.socket_send_buffer_bytes),
        "socket.receive.buffer.bytes": ("receive_buffer", config.socket_receive_buffer_bytes),
    }
    return SocketOptions(**dict(asked[name] for name in asked if name in config.given))
