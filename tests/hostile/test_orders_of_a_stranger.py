"""Whoever knows a controller's epoch may send its requests: long ones are taken in steps."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from barnabas import Admin, NewTopic
from barnabas.broker.cluster.cluster_controller import ClusterController
from barnabas.broker.cluster.controller_client import (
    MOST_TOPICS,
    TOPICS_A_REQUEST,
    ControllerClient,
)
from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.peer_connection import OnAnswer, PeerConnection
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.cluster.events import ControllerEvent, PreferredElection, Reassigned
from barnabas.cluster.image import Broker, BrokerEndpoint, ClusterImage
from barnabas.cluster.request_parts import PARTITIONS
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartition,
    AlterPartitionRequestTopic,
    AlterPartitionResponse,
)
from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from barnabas.protocol.create_topics import CreateTopicsRequest
from barnabas.protocol.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from barnabas.protocol.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from barnabas.protocol.update_metadata import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from barnabas.testing import EmbeddedCluster
from barnabas.types import NodeId, RequestedTopic, TopicPartition
from tests.local_cluster import LocalCluster
from tests.unit.broker.raw_client import RawClient
from tests.unit.runtime.manual_timers import ManualTimers

EPOCH = 2**31 - 1
"""Of a controller; no broker knows a newer one."""
MANY = 3 * PARTITIONS


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    found = LocalCluster(tmp_path, 1)
    try:
        yield found
    finally:
        found.close()


def taken(
    cluster: LocalCluster, begin: Callable[[Any], Steps[Any]], done: Callable[[], int]
) -> int:
    """How much one step did at most, as `done` counts it."""

    def run() -> int:
        steps, most, before = begin(cluster.member(1)), 0, done()
        given: object = None
        with suppress(StopIteration):
            while True:
                waits_for = steps.send(given)
                given = waits_for.outcome if waits_for is not None else None
                most, before = max(most, done() - before), done()
        return max(most, done() - before)

    return int(cluster._on_loop(run))


def shown(name: str, partitions: int) -> UpdateMetadataTopicState:
    rows = [
        UpdateMetadataPartitionState(
            partition_index=one, controller_epoch=EPOCH, leader=9, leader_epoch=0, isr=[9],
            zk_version=0, replicas=[9],
        )
        for one in range(partitions)
    ]  # fmt: skip
    return UpdateMetadataTopicState(topic_name=name, partition_states=rows)


@pytest.mark.parametrize("topics", [1, MANY])
def test_many_partitions_are_known_in_steps(cluster: LocalCluster, topics: int) -> None:
    request = UpdateMetadataRequest(
        controller_id=9,
        controller_epoch=EPOCH,
        topic_states=[shown(f"t{one}", MANY // topics) for one in range(topics)],
        live_brokers=[],
    )

    counted: list[Any] = [None, 0]

    def known() -> int:
        image = cluster.member(1).image
        if counted[0] is not image:
            counted[:] = [image, sum(1 for _ in image.partitions())]
        return int(counted[1])

    assert taken(cluster, lambda member: member.take_metadata(request), known) == PARTITIONS
    assert known() == MANY


def test_many_replicas_are_stopped_in_steps(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        StopReplicaPartitionState(partition_index=one, delete_partition=True) for one in range(MANY)
    ]
    request = StopReplicaRequest(
        controller_id=9,
        controller_epoch=EPOCH,
        topic_states=[StopReplicaTopicState(topic_name="t", partition_states=rows)],
    )
    stopped: list[TopicPartition] = []
    monkeypatch.setattr(cluster.member(1)._roles, "leave", stopped.append)
    assert taken(cluster, lambda one: one.stop_replicas(request), lambda: len(stopped)) == 1
    assert len(stopped) == MANY


@pytest.fixture(scope="module")
def pair() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(brokers=2) as found:
        with Admin(bootstrap_servers=found.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", partitions=1, replication_factor=2)])
        found.leader("dogs", 0)
        yield found


def altered(pair: EmbeddedCluster, isr: list[int], *unknown: int) -> AlterPartitionResponse:
    """What the controller answers to the leader of dogs, which says the same of unknown partitions."""
    state, controller = pair._state("dogs", 0), pair.controller()
    assert state is not None
    rows = [
        AlterPartitionRequestPartition(
            partition_index=index,
            leader_epoch=state.leader_epoch,
            partition_epoch=state.partition_epoch,
            new_isr=isr,
        )
        for index in (0, *unknown)
    ]
    topic = AlterPartitionRequestTopic(topic_name="dogs", partitions=rows)
    request = AlterPartitionRequest(broker_id=state.leader, broker_epoch=-1, topics=[topic])
    with RawClient(pair.port(controller)) as client:
        return client.ask(request, 1, AlterPartitionResponse)


def test_a_broker_that_is_named_often_is_in_sync_once(pair: EmbeddedCluster) -> None:
    leader = pair.leader("dogs", 0)
    (row,) = altered(pair, [leader] * 10_000).topics[0].partitions
    assert (row.error_code, row.isr) == (ErrorCode.NONE, [leader])
    assert pair.in_sync("dogs", 0).count(leader) == 1


def test_isrs_are_changed_some_at_a_time(
    pair: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []
    take = ClusterController.take

    def counted(self: ClusterController, *events: ControllerEvent) -> Pending:
        at_once.append(len(events))
        return take(self, *events)

    monkeypatch.setattr(ClusterController, "take", counted)
    leader = pair.leader("dogs", 0)
    rows = altered(pair, [leader], *range(1, MANY)).topics[0].partitions
    assert [row.partition_index for row in rows] == [*range(MANY)]
    assert {row.error_code for row in rows[1:]} == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert max(at_once) <= 100


def test_elections_and_moves_are_decided_some_at_a_time(
    pair: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: list[int] = []
    take = ClusterController.take

    def counted(self: ClusterController, *events: ControllerEvent) -> Pending:
        for event in events:
            if isinstance(event, PreferredElection):
                at_once.append(len(event.partitions))
            elif isinstance(event, Reassigned):
                at_once.append(len(event.targets))
        return take(self, *events)

    monkeypatch.setattr(ClusterController, "take", counted)
    numbers, timeout_ms = [*range(1, MANY)], 1000
    elections = ElectLeadersRequest(
        election_type=0,
        topic_partitions=[TopicPartitions(topic="dogs", partitions=numbers)],
        timeout_ms=timeout_ms,
    )
    moved = [ReassignablePartition(partition_index=one, replicas=[1]) for one in numbers]
    moves = AlterPartitionReassignmentsRequest(
        timeout_ms=timeout_ms, topics=[ReassignableTopic(name="dogs", partitions=moved)]
    )
    with RawClient(pair.port(pair.controller())) as client:
        (elected,) = client.ask(elections, 2, ElectLeadersResponse).replica_election_results
        (begun,) = client.ask(moves, 0, AlterPartitionReassignmentsResponse).responses
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert [one.partition_id for one in elected.partition_result] == numbers
    assert [one.partition_index for one in begun.partitions] == numbers
    assert {one.error_code for one in elected.partition_result} == {unknown}
    assert {one.error_code for one in begun.partitions} == {unknown}
    assert max(at_once) <= 100


def test_any_number_of_missing_topics_takes_one_connection_to_the_controller() -> None:
    """Metadata names topics that are not there; each used to have a connection of its own."""
    connected: list[list[str]] = []

    class Connection:
        def ask(
            self, _key: int, _version: int, message: object, _seconds: float, answer: OnAnswer
        ) -> None:
            assert isinstance(message, CreateTopicsRequest)
            connected.append([topic.name for topic in message.topics])
            answers.append(answer)

        def close(self) -> None:
            """Is done with."""

    answers: list[OnAnswer] = []
    timers = ManualTimers()
    broker = Broker(NodeId(1), (BrokerEndpoint("PLAINTEXT", "here", 1),))
    image = ClusterImage(brokers={NodeId(1): broker}, controller=NodeId(1))
    client = ControllerClient(
        BrokerConfig.load({}),
        cast("InterBrokerVersions", None),
        timers,
        lambda _address: cast("PeerConnection", Connection()),
        lambda: image,
        lambda: 1,
    )
    names = [f"t{one}" for one in range(3 * MOST_TOPICS)]
    for name in names:
        client.ask_for_topic(RequestedTopic(name, {0: []}, {}), 3)
    timers.run_soon()
    while answers:
        assert len(answers) == 1, "one request at a time"
        answers.pop()(None)
    assert max(map(len, connected)) <= TOPICS_A_REQUEST
    assert [name for some in connected for name in some] == names[:MOST_TOPICS]
    # A controller that asks again is not refused for ever.
    client.ask_for_topic(RequestedTopic("again", {0: []}, {}), 3)
    timers.run_soon()
    assert connected[-1] == ["again"]
