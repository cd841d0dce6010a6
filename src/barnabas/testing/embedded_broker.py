"""EmbeddedBroker: a complete broker on a thread of this process, on a free loopback port."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from barnabas.broker.node import Node
from barnabas.broker.node_thread import NodeThread
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.config.releases import release_line
from barnabas.errors import LocalProtocolError

_QUICK = {"group.initial.rebalance.delay.ms": 0}
"""Tests need not wait the three seconds in which a real broker gathers members of a new group."""


class EmbeddedBroker:
    """A broker that runs for the duration of a `with`.

    `config` are broker properties by Kafka's names. Without `data_dir`, the data is in a temporary
    directory that is deleted at the end. With a `profile` such as "0.10.2", the broker emulates
    that Kafka release; with "0.7", it serves clients of Kafka 0.7.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        *,
        data_dir: Path | str | None = None,
        profile: str | None = None,
    ) -> None:
        """Raises ConfigError if `profile` is not a release line of Kafka."""
        self._config = dict(config or {})
        self._release = release_line(profile) if profile else ""
        self._temporary = data_dir is None
        self._data_dir = Path(data_dir) if data_dir is not None else None
        self._node: NodeThread | None = None
        self._is_running = False
        self._addresses: dict[str, Endpoint] = {}

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
            LocalProtocolError: the broker is not running; this holds for all properties.
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

    def start(self) -> None:
        """Start the broker; return when it accepts connections.

        Raises:
            KafkaError: it could not start.
        """
        if self._data_dir is None:
            self._data_dir = Path(tempfile.mkdtemp(prefix="barnabas-"))
        config = BrokerConfig.load(
            {
                "listeners": "PLAINTEXT://127.0.0.1:0",
                "log.dirs": str(self._data_dir),
                **_QUICK,
                **self._config,
            },
            release=self._release,
        )
        node = self._node = NodeThread(Node(config), "barnabas broker")
        try:
            self._addresses = node.start()
        except BaseException:
            self._clean_up()
            raise
        self._is_running = True

    def stop(self) -> None:
        """Stop the broker cleanly; a second call does nothing.

        Raises:
            BaseException: whatever ended the broker's thread early.
        """
        if self._node is None or not self._is_running:
            return
        self._addresses, self._is_running = {}, False
        try:
            self._node.stop()
        finally:
            self._clean_up()

    def create_topic(
        self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic; return when it is ready to use.

        Raises:
            BrokerError: it exists, or its name or properties are invalid.
        """
        if self._node is None or not self._addresses:
            raise self._not_there()
        self._node.node.create_topic(name, partitions, dict(config or {}))

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
