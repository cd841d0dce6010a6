"""EmbeddedBroker: a complete broker on a thread of this process, on a free loopback port."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from barnabas.broker.server.node import Node, Parts
from barnabas.broker.server.node_thread import NodeThread
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint, listeners
from barnabas.config.releases import release_line
from barnabas.errors import LocalProtocolError
from barnabas.testing.environment import DiskRoom, JumpingClock, LimitedDisk
from barnabas.testing.observed_connection import ObservedConnection, Observer
from barnabas.testing.request_log import RequestLog

if TYPE_CHECKING:
    from barnabas.testing.faults.faults import Faults

_QUICK = {"group.initial.rebalance.delay.ms": 0}
"""A real broker waits three seconds for more members of a new group; tests do not."""


class EmbeddedBroker:
    """A broker that runs for the duration of a `with`.

    `config` are broker properties by Kafka's names. Without `data_dir`, the data is in a temporary
    directory that is deleted at the end. With a `profile` such as "0.10.2", the broker emulates
    that Kafka release; with "0.7", it serves clients of Kafka 0.7. `from_snapshot` is a directory that
    `snapshot` wrote: the broker starts with a copy of it.

    `clock` is the broker's clock, which a test may set: `broker.clock.advance(3600)` lets an hour pass.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        *,
        data_dir: Path | str | None = None,
        profile: str | None = None,
        from_snapshot: Path | str | None = None,
        record_requests: bool = True,
    ) -> None:
        """`record_requests`: whether `requests` lists the requests that the broker receives.

        Raises:
            ConfigError: `profile` is not a release line of Kafka.
        """
        self._config = dict(config or {})
        self._release = release_line(profile) if profile else ""
        self._temporary = data_dir is None
        self._data_dir = Path(data_dir) if data_dir is not None else None
        self._snapshot = Path(from_snapshot) if from_snapshot is not None else None
        self._node: NodeThread | None = None
        self._is_running = False
        self._addresses: dict[str, Endpoint] = {}
        self._bound: dict[str, Endpoint] = {}
        """The addresses of its last run: clients expect the broker there again."""
        self.clock = JumpingClock()
        self.clock.on_advance = self._advance
        self._room = DiskRoom()
        self._requests = RequestLog(self.clock.time_ms)
        self._observer = Observer(self._requests if record_requests else None)
        self._faults: Faults | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def bootstrap_servers(self) -> str:
        """`host:port` for clients.

        Raises:
            LocalProtocolError: the broker is not running; this holds for all addresses.
        """
        endpoint = next(iter(self._running.values()))
        return f"{endpoint.host}:{endpoint.port}"

    @property
    def port(self) -> int:
        """The port of the first listener."""
        return next(iter(self._running.values())).port

    def port_of(self, listener: str) -> int:
        """The port of the listener with that name."""
        return self._running[listener].port

    @property
    def data_dir(self) -> Path:
        """The directory of the logs."""
        if self._data_dir is None:
            raise self._not_there()
        return self._data_dir

    @property
    def requests(self) -> RequestLog:
        """The newest requests that the broker received, at most 10,000."""
        return self._requests

    @property
    def faults(self) -> "Faults":
        """Faults that a test injects between the broker and its clients."""
        if self._faults is None:
            # Imported late: most tests have none.
            from barnabas.testing.faults.faults import Faults

            self._faults = Faults(self._observer, self._room, self._run)
        return self._faults

    def start(self) -> None:
        """Start the broker; return when it accepts connections.

        Raises:
            ConfigError: a property has an invalid value or an unknown name.
            KafkaError: the broker could not start.
        """
        if self._data_dir is None:
            self._data_dir = Path(tempfile.mkdtemp(prefix="barnabas-"))
        if self._snapshot is not None:
            # Imported late: most tests have none.
            from barnabas.testing.snapshots import restore

            restore(self._snapshot, self._data_dir)
            self._snapshot = None
        parts = Parts(
            self.clock,
            partial(LimitedDisk, self._room),
            partial(ObservedConnection, self._observer),
        )
        try:
            node = NodeThread(Node(self._configuration(), parts=parts), "barnabas broker")
            self._node = node
            self._addresses = node.start()
        except BaseException:
            self._clean_up()
            raise
        self._is_running = True
        self._bound = dict(self._addresses)

    def stop(self) -> None:
        """Stop the broker cleanly, and delete a temporary directory; a second call does nothing.

        Raises:
            BaseException: the exception that ended the broker's thread early.
        """
        if self._faults is not None:
            self._faults.stop()
        try:
            self._end(NodeThread.stop)
        finally:
            self._clean_up()

    def kill(self) -> None:
        """End the broker as `kill -9` does: clients get no response, and files stay as they are.

        `start` starts it again on the same port with its data, and recovers its logs.
        """
        self._end(NodeThread.kill)

    def restart(self) -> None:
        """Stop the broker cleanly and start it again, on its port and with its data."""
        self._end(NodeThread.stop)
        self.start()

    def snapshot(self, path: Path | str) -> Path:
        """Copy all data to a new directory, from which brokers of later tests can begin; return it.

        The broker serves no requests meanwhile. The copy is like the data of a broker that has stopped cleanly.

        Raises:
            InvalidArgument: the directory exists and is not empty.
        """
        from barnabas.testing.snapshots import take, without_addresses

        target, source = Path(path), self.data_dir
        self._run(lambda: take(source, target))
        config, profile = without_addresses(self._config), self._release or None
        # Recovers the copy once, so that brokers that start from it need no recovery.
        with EmbeddedBroker(config, data_dir=target, profile=profile, record_requests=False):
            pass
        return target

    def create_topic(
        self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic; return when it is ready to use.

        Raises:
            BrokerError: the topic exists, or its name or properties are invalid.
        """
        if self._node is None or not self._addresses:
            raise self._not_there()
        self._node.node.create_topic(name, partitions, dict(config or {}))

    def _configuration(self) -> BrokerConfig:
        given = {
            "listeners": "PLAINTEXT://127.0.0.1:0",
            "log.dirs": str(self._data_dir),
            **_QUICK,
            **self._config,
        }
        config = BrokerConfig.load(given, release=self._release, strict=True)
        if not self._bound:
            return config
        again = [
            one._replace(port=one.port or self._bound[one.name].port) for one in listeners(config)
        ]
        given["listeners"] = ",".join(
            f"{name}://{f'[{host}]' if ':' in host else host}:{port}" for name, host, port in again
        )
        return BrokerConfig.load(given, release=self._release, strict=True)

    def _end(self, end: Callable[[NodeThread], None]) -> None:
        """Stop or kill the broker; its data stays. Raises the exception that ended it early."""
        if self._node is None or not self._is_running:
            return
        if self._faults is not None:
            self._faults.let_go()
        self._addresses, self._is_running = {}, False
        end(self._node)

    def _run(self, action: Callable[[], object]) -> None:
        """Call `action` on the broker's thread, or on this one if the broker does not run."""
        if self._node is None or not self._is_running:
            action()
        else:
            self._node.node.call(action)

    def _advance(self, set_forward: Callable[[], None], seconds: float) -> None:
        """Set the clock and all deadlines forward, between two events."""

        def advance() -> None:
            set_forward()
            if self._node is not None and self._is_running:
                self._node.node.advance(seconds)

        self._run(advance)
        self._run(lambda: None)  # What is due was done before this.

    @property
    def _running(self) -> dict[str, Endpoint]:
        """The addresses of its listeners."""
        if not self._addresses:
            raise self._not_there()
        return self._addresses

    def _not_there(self) -> LocalProtocolError:
        what = "was not started" if self._node is None else "has ended"
        return LocalProtocolError(
            f"the broker {what}: use it inside `with EmbeddedBroker() as broker:`, or between "
            "start() and stop()"
        )

    def _clean_up(self) -> None:
        if self._temporary and self._data_dir is not None:
            shutil.rmtree(self._data_dir, ignore_errors=True)
            self._data_dir = None
            self._bound = {}
