"""Share groups (KIP-932) in a cluster: states are kept by other brokers than lead the partitions."""

import time
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

from confluent_kafka import ShareConsumer
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from barnabas import Admin, NewTopic, Producer
from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import OnAnswer
from barnabas.broker.shares.routed_states import RoutedStates
from barnabas.broker.shares.states import ShareStateShards
from barnabas.cluster.image import (
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.internal_topics import SHARES_TOPIC
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import ConnectionFailed, ErrorCode
from barnabas.ports import Clock
from barnabas.protocol import read_share_group_state as reading
from barnabas.protocol import write_share_group_state as writing
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
)
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.testing import EmbeddedCluster
from barnabas.types import NodeId
from tests.unit.broker.raw_client import RawClient
from tests.unit.runtime.manual_timers import ManualTimers

SECONDS = 60.0
BROKERS = (1, 2, 3)
STATE, GROUPS = "__share_group_state", "__consumer_offsets"


def send(cluster: EmbeddedCluster, first: int, count: int) -> None:
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        for number in range(first, first + count):
            producer.send("dogs", str(number).encode(), partition=number % 3)
        producer.flush()


class Sharer:
    """A member by librdkafka; `done` are the records whose acknowledgement was confirmed."""

    def __init__(self, cluster: EmbeddedCluster) -> None:
        self.done: Counter[bytes] = Counter()
        self._consumer = ShareConsumer(
            {
                "bootstrap.servers": cluster.bootstrap_servers,
                "group.id": "pack",
                "share.acknowledgement.mode": "explicit",
            }
        )
        self._consumer.subscribe(["dogs"])

    def take(self, count: int) -> None:
        """Read and acknowledge until so many are done."""
        deadline = time.monotonic() + SECONDS
        while len(self.done) < count:
            assert time.monotonic() < deadline, f"{len(self.done)} of {count} records"
            given: dict[int, list[bytes]] = {}
            for message in self._consumer.poll(0.2):
                if message.error() is None:
                    self._consumer.acknowledge(message)
                    given.setdefault(message.partition() or 0, []).append(message.value() or b"")
            kept: Any = self._consumer.commit_sync(10) if given else {}
            for place, error in (kept or {}).items():
                if error is None:
                    self.done.update(given.get(place.partition, []))

    def close(self) -> None:
        self._consumer.close()


def begin_at_the_first(cluster: EmbeddedCluster) -> None:
    entry = ConfigEntry(
        "share.auto.offset.reset", "earliest", incremental_operation=AlterConfigOpType.SET
    )
    resource = ConfigResource(ResourceType.GROUP, "pack", incremental_configs=[entry])
    client = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    client.incremental_alter_configs([resource])[resource].result(SECONDS)


def test_what_is_acknowledged_stays_done_while_each_broker_is_killed() -> None:
    with EmbeddedCluster(3) as cluster:
        with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", partitions=3, replication_factor=3)])
        begin_at_the_first(cluster)
        send(cluster, 0, 30)
        sharer = Sharer(cluster)
        try:
            sharer.take(30)
            leaders = {cluster.leader("dogs", index) for index in range(3)}
            assert leaders == {cluster.leader(STATE, index) for index in range(3)} == {*BROKERS}
            for number, broker in enumerate(BROKERS, 1):
                cluster.kill(broker)
                send(cluster, 30 * number, 30)
                sharer.take(30 * number + 30)
                cluster.start(broker)
                wait_for_isr(cluster)
        finally:
            sharer.close()
        assert sharer.done == Counter(str(number).encode() for number in range(120))

        send(cluster, 120, 30)
        another = Sharer(cluster)
        try:
            another.take(30)
        finally:
            another.close()
        assert another.done == Counter(str(number).encode() for number in range(120, 150))
        send(cluster, 150, 6)
        assert progress(cluster) == dict.fromkeys(range(3), (50, 2))


def progress(cluster: EmbeddedCluster) -> dict[int, tuple[int, int]]:
    """Where the group begins in each partition, and its lag."""
    group = DescribeShareGroupOffsetsRequestGroup(group_id="pack", topics=None)
    asked = FindCoordinatorRequest(key_type=0, coordinator_keys=["pack"])
    with RawClient(cluster.port(1)) as client:
        (found,) = client.ask(asked, 6, FindCoordinatorResponse).coordinators
    with RawClient(cluster.port(found.node_id)) as client:
        request = DescribeShareGroupOffsetsRequest(groups=[group])
        response = client.ask(request, 1, DescribeShareGroupOffsetsResponse)
    (topic,) = response.groups[0].topics
    return {one.partition_index: (one.start_offset, one.lag) for one in topic.partitions}


def wait_for_isr(cluster: EmbeddedCluster) -> None:
    for topic in ("dogs", STATE, GROUPS):
        for index in range(3):
            while cluster.in_sync(topic, index) != [*BROKERS]:
                cluster.leader(topic, index)


OTHER = NodeId(2)
ONE, TWO = (StateKey("pack", TopicIdPartition(b"d" * 16, index)) for index in range(2))


class Asked:
    """A connection that keeps what is asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[ApiKey, Any]] = []
        self._on_answer: OnAnswer | None = None

    @property
    def is_busy(self) -> bool:
        return self._on_answer is not None

    def ask(
        self, key: ApiKey, version: int, message: object, seconds: float, on_answer: OnAnswer
    ) -> None:
        del version, seconds
        self.requests.append((key, message))
        self._on_answer = on_answer

    def answer(self, response: object) -> None:
        on_answer, self._on_answer = self._on_answer, None
        assert on_answer is not None
        on_answer(response)


class Elsewhere:
    """All states are kept by another broker."""

    def __init__(self) -> None:
        self.connection, self.timers = Asked(), ManualTimers()
        self.codes: list[ErrorCode] = []
        state = PartitionState(OTHER, 1, (OTHER,), (OTHER,))
        image = ClusterImage().apply(
            ImageDelta(
                brokers={OTHER: Broker(OTHER, (BrokerEndpoint("PLAINTEXT", "localhost", 1),))},
                topics={SHARES_TOPIC: TopicDelta(bytes(16), {0: state})},
            )
        )
        member = SimpleNamespace(
            node_id=NodeId(1), image=image, on_close=[], connect=lambda _address: self.connection,
            topics=SimpleNamespace(count=lambda _name: 1, leader_of=lambda _name, _key: OTHER),
        )  # fmt: skip
        nothing = cast("ShareStateShards", SimpleNamespace())
        clock = cast("Clock", SimpleNamespace())
        self.states = RoutedStates(nothing, cast("ClusterMember", member), self.timers, clock)

    def write(self, key: StateKey, start: int) -> None:
        update = StateUpdate(0, 3, start, 0, ())
        self.states.write(key, update, lambda code, _found: self.codes.append(code))

    def written(self, code: ErrorCode, *keys: StateKey) -> None:
        """Answer the last request."""
        rows = [
            writing.PartitionResult(partition=key.topic_partition.partition, error_code=code)
            for key in keys
        ]
        result = writing.WriteStateResult(topic_id=b"d" * 16, partitions=rows)
        self.connection.answer(writing.WriteShareGroupStateResponse(results=[result]))

    def starts(self) -> list[list[int]]:
        """What each request writes, by its partitions."""
        return [
            [row.start_offset for topic in message.topics for row in topic.partitions]
            for _, message in self.connection.requests
        ]


def test_one_state_is_written_at_a_time_and_what_comes_meanwhile_as_the_last_is() -> None:
    keeper = Elsewhere()
    keeper.write(ONE, 1)
    keeper.write(TWO, 7)
    keeper.timers.run_soon()
    for start in (2, 3, 4):
        keeper.write(ONE, start)
    keeper.timers.run_soon()
    assert keeper.starts() == [[1, 7]]
    keeper.written(ErrorCode.NONE, ONE, TWO)
    assert keeper.codes == [ErrorCode.NONE] * 2
    keeper.timers.run_soon()
    assert keeper.starts() == [[1, 7], [4]]
    keeper.written(ErrorCode.FENCED_LEADER_EPOCH, ONE)
    assert keeper.codes == [ErrorCode.NONE] * 2 + [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 3


def test_what_may_pass_is_asked_again_and_what_was_never_begun_too() -> None:
    keeper = Elsewhere()
    found: list[tuple[ErrorCode, ShareState]] = []
    keeper.states.read(ONE, 3, lambda code, state: found.append((code, state)))

    def answer(response: object) -> None:
        keeper.timers.run_soon()
        keeper.connection.answer(response)
        keeper.timers.advance(1)

    def read(code: ErrorCode, start: int) -> reading.ReadShareGroupStateResponse:
        row = reading.PartitionResult(
            partition=0, error_code=code, state_epoch=2, start_offset=start, state_batches=[]
        )
        result = reading.ReadStateResult(topic_id=b"d" * 16, partitions=[row])
        return reading.ReadShareGroupStateResponse(results=[result])

    answer(read(ErrorCode.NOT_COORDINATOR, 0))
    answer(ConnectionFailed("gone"))
    answer(read(ErrorCode.INVALID_REQUEST, 0))
    assert not found
    answer(read(ErrorCode.NONE, 5))
    assert found == [(ErrorCode.NONE, ShareState(5, (), 2))]
    assert len(keeper.connection.requests) == 4
