"""EmbeddedCluster: several brokers on threads of this process, replicas of each other."""

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from barnabas.broker.server.local_cluster import LocalCluster, member_properties
from barnabas.broker.server.node import Parts
from barnabas.cluster.image import NO_LEADER, PartitionState
from barnabas.cluster.znodes import decode_state, state_path
from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import release_line
from barnabas.errors import LocalProtocolError, RequestTimeout
from barnabas.ports import Network, Timers
from barnabas.testing.cuttable_network import CuttableNetwork
from barnabas.types import TopicPartition

_LOOK_SECONDS = 0.01

_QUICK = {
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 3,
    "transaction.state.log.num.partitions": 3,
    "share.coordinator.state.topic.num.partitions": 3,
    "replica.fetch.backoff.ms": 50,
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 500,
}
"""Shorter waits and fewer partitions than in production."""


class EmbeddedCluster:
    """Brokers 1 to `brokers` that run for the duration of a `with`; one of them is the controller.

    `config` are broker properties by Kafka's names, for all of them; `racks` the rack of each, in the
    order of their numbers. Topics have three replicas unless they are created with another number. Without
    `data_dir`, the data is in a temporary directory that is deleted at the end. With a `profile` such as
    "2.8", the brokers emulate that Kafka release, 0.11 or later.
    """

    def __init__(
        self,
        brokers: int = 3,
        config: Mapping[str, object] | None = None,
        *,
        racks: Sequence[str] = (),
        data_dir: Path | str | None = None,
        profile: str | None = None,
    ) -> None:
        """Raises ConfigError if `profile` is not a release line of Kafka."""
        self._brokers = brokers
        self._config = dict(config or {})
        self._racks = dict(enumerate(racks, 1))
        self._release = release_line(profile) if profile else ""
        self._temporary = data_dir is None
        self._data_dir = Path(data_dir) if data_dir is not None else None
        self._cluster: LocalCluster | None = None
        self._networks: dict[int, CuttableNetwork] = {}
        self._cut_off: dict[int, int] = {}
        """The ports of the brokers that are cut off, by number."""

    def __enter__(self) -> Self:
        if self._data_dir is None:
            self._data_dir = Path(tempfile.mkdtemp(prefix="barnabas-"))
        cluster = LocalCluster(
            self._brokers, self._data_dir, self._configuration, parts=self._parts
        )
        try:
            cluster.open()
        except BaseException:
            self._clean_up()
            raise
        self._cluster = cluster
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        cluster, self._cluster = self._open, None
        try:
            cluster.close()
        finally:
            self._clean_up()

    @property
    def bootstrap_servers(self) -> str:
        """`host:port` of each broker that runs, separated by commas.

        Raises:
            LocalProtocolError: the cluster is not running; this holds for all methods.
        """
        addresses = self._open.addresses.values()
        return ",".join(f"{one.host}:{one.port}" for one in addresses)

    @property
    def running(self) -> list[int]:
        """The brokers that run, by number."""
        return self._open.running

    def port(self, broker: int) -> int:
        """The port of a broker that runs."""
        return self._open.addresses[broker].port

    def start(self, broker: int) -> None:
        """Start a broker that was stopped or killed, on its data and its port.

        Raises:
            KafkaError: it could not start.
        """
        self._open.start(broker)

    def stop(self, broker: int) -> None:
        """Stop a broker in order: others lead its partitions first, unless it is cut off."""
        self._open.stop(broker)
        self._forget_cut(broker)

    def kill(self, broker: int) -> None:
        """End a broker as SIGKILL would, with its session: its clients are cut off, nothing is written."""
        self._open.kill(broker)
        self._forget_cut(broker)

    def cut_off(self, broker: int) -> None:
        """Cut a broker off from the other brokers and from the registry; its clients still reach it.

        Its session ends at once, so others lead its partitions and one of them is the controller. The
        broker learns of that only when it is healed: until then it may take itself for a leader.

        Raises:
            LocalProtocolError: it does not run.
        """
        if broker not in self.running:
            raise LocalProtocolError(f"broker {broker} does not run")
        self._cut_off = {**self._cut_off, broker: self.port(broker)}
        for one in self.running:
            self._open.node(one).call(self._networks[one].break_links)
        self._open.session_of(broker).cut_off()

    def heal(self, broker: int) -> None:
        """End what `cut_off` began: the broker follows those that lead by now, and is in sync again."""
        self._forget_cut(broker)
        self._open.session_of(broker).heal()

    def leader(self, topic: str, partition: int = 0, *, timeout_s: float = 30.0) -> int:
        """The number of the broker that leads a partition, waiting for one that runs and is not cut off.

        Raises:
            RequestTimeout: none does in time, or there is no such partition.
        """
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            state = self._state(topic, partition)
            if state is not None and state.leader in {*self.running} - {*self._cut_off}:
                return state.leader
            time.sleep(_LOOK_SECONDS)
        raise RequestTimeout(f"{topic}-{partition} has no leader after {timeout_s:g} s")

    def in_sync(self, topic: str, partition: int = 0) -> list[int]:
        """The replicas of a partition that are in sync, by number; none if there is no such partition."""
        state = self._state(topic, partition)
        return sorted(state.isr) if state is not None else []

    def controller(self) -> int:
        """The number of the broker that is the controller; -1: none is now."""
        return self._open.controller()

    def _state(self, topic: str, partition: int) -> PartitionState | None:
        session = self._open.session()
        try:
            node = session.get(state_path(TopicPartition(topic, partition)))
        finally:
            session.close()
        if node is None:
            return None
        return decode_state(*node, PartitionState(NO_LEADER, -1, (), ()))

    @property
    def _open(self) -> LocalCluster:
        if self._cluster is None:
            raise LocalProtocolError(
                "the cluster does not run: use it inside `with EmbeddedCluster() as cluster:`"
            )
        return self._cluster

    def _configuration(self, broker: int, port: int) -> BrokerConfig:
        assert self._data_dir is not None, "it is made first"
        own = member_properties(
            broker, self._brokers, self._data_dir, "127.0.0.1", max(port, 0), self._release
        )
        if broker in self._racks:
            own["broker.rack"] = self._racks[broker]
        given = {**own, **_QUICK, **self._config}
        # A test would not see a warning.
        return BrokerConfig.load(given, release=self._release, strict=True)

    def _forget_cut(self, broker: int) -> None:
        # Brokers look at it from their own threads.
        self._cut_off = {one: port for one, port in self._cut_off.items() if one != broker}

    def _parts(self, broker: int) -> Parts:
        def make_network(network: Network, timers: Timers) -> CuttableNetwork:
            made = CuttableNetwork(network, timers, partial(self._is_cut, broker))
            self._networks[broker] = made
            return made

        return Parts(make_network=make_network)

    def _is_cut(self, broker: int, port: int) -> bool:
        """Whether a broker does not reach a port now."""
        if broker in self._cut_off:
            return port != self._cut_off[broker]
        return port in self._cut_off.values()

    def _clean_up(self) -> None:
        if self._temporary and self._data_dir is not None:
            shutil.rmtree(self._data_dir, ignore_errors=True)
            self._data_dir = None
