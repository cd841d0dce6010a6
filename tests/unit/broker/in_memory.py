"""A broker whose topics have no logs: enough for the APIs that administer them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar, cast

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.profiles import profile_of
from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.purgatory.admission import SLICE_SECONDS
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Stepping, Steps
from barnabas.broker.replicas.fetch_sessions import FetchSessions
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.replicas.role import ReplicaRole
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.topics.topics import Topics
from barnabas.broker.transactions.producer_ids import ProducerIds
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.errors import KafkaError, RegistryConflict, StorageError
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Clock, Entropy, Registry, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import decode_response
from barnabas.protocol.long_replies import LongReply
from barnabas.runtime.registries.call_thread import outcome_of
from barnabas.types import TopicPartition
from tests.unit.runtime.manual_timers import ManualTimers

_Answer = TypeVar("_Answer")


class MemoryRegistry:
    """The Registry port in two dicts."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[bytes, int]] = {}

    def get(self, path: str) -> tuple[bytes, int] | None:
        return self.nodes.get(path)

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        return [self.nodes.get(path) for path in paths]

    def children(self, path: str) -> list[str]:
        names = {
            one[len(path) + 1 :].split("/")[0] for one in self.nodes if one.startswith(path + "/")
        }
        return sorted(names)

    def create(self, path: str, data: bytes) -> None:
        if path in self.nodes:
            raise RegistryConflict(path)
        self._make_above(path)
        self.nodes[path] = (data, 0)

    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        there = [path for path in nodes if path in self.nodes]
        for path in nodes.keys() - set(there):
            self.create(path, nodes[path])
        return there

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        present = self.nodes.get(path, (b"", -1))[1]
        if version not in (-1, present):
            raise RegistryConflict(path)
        self._make_above(path)
        self.nodes[path] = (data, present + 1)
        return present + 1

    def _make_above(self, path: str) -> None:
        while path := path.rpartition("/")[0]:
            self.nodes.setdefault(path, (b"", 0))

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        for path, data in nodes.items():
            self.set(path, data)

    def delete(self, *paths: str) -> None:
        for path in paths:
            for one in [each for each in self.nodes if each == path or each.startswith(path + "/")]:
                del self.nodes[one]

    def later(self, work: Callable[[], object], on_done: Callable[[Any], None]) -> None:
        on_done(outcome_of(work))

    def close(self) -> None:
        """Nothing is held."""


class NoLogs(Hosting):
    """Remembers what it has to host."""

    def __init__(self) -> None:
        self.hosted: dict[str, list[int]] = {}
        self.configured: dict[str, Mapping[str, object]] = {}
        self.no_room_for: set[str] = set()

    def host(
        self,
        topic: str,
        topic_id: bytes,
        partitions: Iterable[int],
        own: Mapping[str, object],
        *,
        is_new: bool = True,
    ) -> None:
        there = self.hosted.setdefault(topic, [])
        if topic in self.no_room_for:
            raise StorageError("no room")
        there += [index for index in partitions if index not in there]

    def give_up(self, topic: str, topic_id: bytes, index: int, own: Mapping[str, object]) -> None:
        raise StorageError("a restart brings it back")

    def check_room(self) -> None:
        """There is always room."""

    def drop_in_steps(self, topics: Sequence[str], failed: dict[str, KafkaError]) -> Steps[None]:
        for topic in topics:
            while self.hosted[topic]:
                del self.hosted[topic][-50:]
                if self.hosted[topic]:
                    yield
            del self.hosted[topic]

    def configure(self, owns: Mapping[str, Mapping[str, object]]) -> None:
        self.configured |= owns

    def adopt(self, broker_config: BrokerConfig) -> None:
        self.adopted = broker_config


class StillClock:
    """A clock that a test puts forward."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds

    def time_ms(self) -> int:
        return int(1000 * self.seconds)

    def time_ns(self) -> int:
        return int(1e9 * self.seconds)


class Counting:
    """An Entropy whose ids are 1, 2, 3."""

    def __init__(self) -> None:
        self._given = 0

    def uuid(self) -> bytes:
        self._given += 1
        return self._given.to_bytes(16)

    def below(self, bound: int) -> int:
        return 0

    def fraction(self) -> float:
        return 0.0


class Log:
    """What the APIs of administration ask of a log."""

    def __init__(self, topic: str = "", partition: int = 0) -> None:
        self.topic_partition = TopicPartition(topic, partition)
        self.size = 100
        self.failure: Exception | None = None
        self.config = LogConfig()
        self.start_offset, self.high_watermark = 0, 10

    def delete_before(self, offset: int) -> None:
        self.start_offset = max(offset, self.start_offset)


class Led:
    """A partition that is led, in epoch 3."""

    def __init__(self) -> None:
        self.log = Log()
        self.leader_epoch = 3
        self.role: ReplicaRole | None = None


class Replicas(dict[tuple[str, int], Led]):
    """The partitions that tests put here."""

    def find(self, topic: str, index: int) -> Led | None:
        return self.get((topic, index))

    def write(self) -> None:
        """Nothing waits to be written."""


class Futures(list[tuple[str, Log, int]]):
    """Copies of logs that tests put here: directory, copy, and the offsets that it lacks."""

    def in_directory(self, path: str) -> list[Log]:
        return [log for where, log, _ in self if where == path]

    def lag(self, partition: TopicPartition) -> int:
        return next(lag for _, log, lag in self if log.topic_partition == partition)


class Logs:
    """Two log directories, and the logs that tests put there."""

    def __init__(self) -> None:
        self.futures = Futures()
        self.there: dict[str, list[Log]] = {"/first": [], "/second": []}

    def by_directory(self) -> dict[str, list[Log]]:
        return self.there

    def space(self, path: str) -> tuple[int, int]:
        if path == "/lost":
            raise StorageError("it is gone")
        return 1000, 400


class Shards:
    """The groups of a broker that has none."""

    def __init__(self) -> None:
        self.on_loaded: list[object] = []

    def indexes(self) -> tuple[int, ...]:
        return ()

    def write(self) -> None:
        """Nothing waits to be written."""


def answered(broker: Broker, outcome: object, kind: type[_Answer]) -> _Answer:
    """The answer, after as many turns of the loop as it needs."""
    if isinstance(outcome, Pending):
        answers: list[object] = []
        outcome.on_done(answers.append)
        assert isinstance(broker.timers, ManualTimers)
        broker.timers.run_soon()
        (outcome,) = answers
    if isinstance(outcome, LongReply):
        key, version = outcome.writer
        _, outcome = decode_response(ApiKey(key), version, outcome.framed(1).joined()[4:])
    assert isinstance(outcome, kind)
    return outcome


def a_broker(
    config: Mapping[str, object] | None = None,
    registry: Registry | None = None,
    timers: Timers | None = None,
) -> Broker:
    registry = registry or MemoryRegistry()
    settings = BrokerConfig.load({"node.id": 1, **(config or {})})
    entropy: Entropy = Counting()
    clock = cast("Clock", StillClock())
    memory = ClientMemory(settings.client_state_max_bytes, clock)
    return Broker(
        settings=BrokerSettings(settings),
        profile=profile_of(settings.release),
        cluster_id="a-cluster",
        clock=clock,
        entropy=entropy,
        timers=timers or ManualTimers(),
        registry=registry,
        logs=cast("LogManager", Logs()),
        topics=Topics(registry, NoLogs(), entropy, settings),
        producer_ids=ProducerIds(registry, 1),
        replicas=cast("ReplicaManager", Replicas()),
        purgatory=cast("Purgatory", None),
        client_memory=memory,
        fetch_sessions=FetchSessions(10, (), memory, clock, entropy),
        groups=cast("GroupShards", Shards()),
        advertised={"PLAINTEXT": Endpoint("PLAINTEXT", "here", 9092)},
    )


STEPS_A_SLICE = 5


def slowly(broker: Broker, steps: int = STEPS_A_SLICE) -> Broker:
    """The same; so many steps of its long work take a slice of time."""
    ticks = count(0, SLICE_SECONDS / steps)
    broker.stepping = Stepping(broker.replicas.write, broker.timers, ticks.__next__)
    return broker


def asked(version: int, key: int = 0) -> RequestContext:
    return RequestContext(key, version, "me", "PLAINTEXT", "127.0.0.1:1", 1, "/127.0.0.1")
