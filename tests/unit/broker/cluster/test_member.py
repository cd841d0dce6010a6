"""Two and three brokers of ours under our controller: copies, ISRs, acks, a leader that goes and comes."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from pathlib import Path
from threading import Thread
from typing import cast

import pytest

from barnabas import Admin, Consumer, Producer
from barnabas.broker.cluster.first_metadata import FirstMetadata
from barnabas.broker.purgatory.stepping import Steps, at_once
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.cluster.events import DeletionAsked, PreferredElection, Reassigned
from barnabas.errors import ErrorCode, KafkaError, StorageError
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
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
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import NodeId, TopicPartition
from tests.local_cluster import SECONDS, LocalCluster
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    found = LocalCluster(tmp_path)
    try:
        yield found
    finally:
        found.close()


def produce(cluster: LocalCluster, first: int, count: int, acks: str = "all") -> None:
    """Each is acknowledged."""
    idempotent = acks == "all"
    with Producer(
        {"enable.idempotence": idempotent}, bootstrap_servers=cluster.bootstrap_servers, acks=acks
    ) as producer:
        sent = [
            producer.send("dogs", str(number).encode(), partition=0)
            for number in range(first, first + count)
        ]
        producer.flush()
        for one in sent:
            one.result()


def consume(cluster: LocalCluster, count: int) -> list[int]:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.assign([("dogs", 0)])
        consumer.seek_to_beginning(("dogs", 0))
        found: list[int] = []
        while len(found) < count:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        return found


def fetch(cluster: LocalCluster, node_id: int, offset: int) -> tuple[int, int, bytes]:
    """The high watermark, error and records that a consumer gets of a broker at once."""
    asked = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1000)
    request = FetchRequest(
        max_wait_ms=0, min_bytes=1, topics=[FetchTopic(topic="dogs", partitions=[asked])]
    )
    with RawClient(cluster.ports[node_id]) as client:
        (found,) = client.ask(request, 10, FetchResponse).responses[0].partitions
    return found.high_watermark, found.error_code, bytes(cast("bytes", found.records or b""))


def test_a_follower_has_what_acks_all_acknowledged_and_leads_when_the_leader_goes(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 100)
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")
    cluster.stop(1)
    assert cluster.wait_for_isr("dogs", 2).leader == 2
    assert consume(cluster, 100) == list(range(100))
    produce(cluster, 100, 100)
    cluster.start(1)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 200, 100)
    assert consume(cluster, 300) == list(range(300))
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")


def test_what_a_follower_has_not_is_not_seen_and_gone_when_another_one_leads(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.cut(2)
    produce(cluster, 10, 10, acks="1")
    log = cluster.partition(1, "dogs").log
    assert (log.high_watermark, log.written_end) == (10, 20)
    assert consume(cluster, 10) == list(range(10))
    # A reader may know a later high watermark from the leader before: it waits, and is not out of range.
    assert [fetch(cluster, 1, offset)[1:] for offset in (15, 20, 21)] == [
        (ErrorCode.NONE, b""),
        (ErrorCode.NONE, b""),
        (ErrorCode.OFFSET_OUT_OF_RANGE, b""),
    ]
    cluster.stop(1)
    assert cluster.wait_for_isr("dogs", 2).leader == 2
    produce(cluster, 100, 5)
    cluster.start(1)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 200, 5)
    assert consume(cluster, 20) == [*range(10), *range(100, 105), *range(200, 205)]
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")


def test_a_committed_batch_that_is_sent_again_is_answered_without_waiting(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1_700_000_000_000, None, b"woof")
    part = PartitionProduceData(index=0, records=builder.build(7, 0, 0))
    topic = TopicProduceData(name="dogs", partition_data=[part])
    request = ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=[topic])
    with RawClient(cluster.ports[1]) as client:
        for _ in range(2):
            (found,) = client.ask(request, 8, ProduceResponse).responses[0].partition_responses
            assert (found.error_code, found.base_offset) == (ErrorCode.NONE, 0)


def test_a_follower_that_lags_leaves_the_isr_and_comes_back(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.cut(2)
    produce(cluster, 10, 10, acks="1")
    cluster.wait_for_isr("dogs", 1)
    produce(cluster, 20, 10)
    assert consume(cluster, 30) == list(range(30))
    cluster.heal(2)
    cluster.wait_for_isr("dogs", 1, 2)
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")


def test_whoever_waits_for_acks_all_is_acknowledged_in_the_next_epoch_of_the_same_leader(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    before = cluster.partition(1, "dogs").leader_epoch
    cluster.cut(2)
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1_700_000_000_000, None, b"woof")
    part = PartitionProduceData(index=0, records=builder.build(-1, -1, -1))
    topic = TopicProduceData(name="dogs", partition_data=[part])
    request = ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=[topic])
    answers: list[ProduceResponse] = []
    with RawClient(cluster.ports[1]) as client:
        asking = Thread(target=lambda: answers.append(client.ask(request, 8, ProduceResponse)))
        asking.start()
        deadline = time.monotonic() + SECONDS
        while cluster.partition(1, "dogs").log.written_end < 11:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        cluster.stop(2)
        asking.join(SECONDS)
    assert cluster.partition(1, "dogs").leader_epoch > before
    (found,) = answers[0].responses[0].partition_responses
    assert (found.error_code, found.base_offset) == (ErrorCode.NONE, 10)


def test_acks_all_needs_as_many_in_sync_as_the_topic_says(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2, min_insync_replicas="2")
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.stop(2)
    cluster.wait_for_isr("dogs", 1)
    with Producer(
        {"delivery.timeout.ms": 1500, "request.timeout.ms": 1000, "linger.ms": 0},
        bootstrap_servers=cluster.bootstrap_servers,
        acks="all",
    ) as producer:
        refused = producer.send("dogs", b"refused", partition=0)
        with pytest.raises(KafkaError):
            refused.result(20)
    cluster.start(2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 10, 10)
    assert consume(cluster, 20) == list(range(20))


def test_a_follower_serves_no_old_consumers_and_all_brokers_tell_the_same(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    assert fetch(cluster, 2, 0)[1] == ErrorCode.NOT_LEADER_OR_FOLLOWER
    reported = []
    for port in cluster.ports.values():
        with RawClient(port) as client:
            answer = client.ask(MetadataRequest(topics=None), 9, MetadataResponse)
        reported.append((answer.brokers, answer.topics[0].partitions, answer.controller_id))
    assert reported[0] == reported[1]
    assert [one.node_id for one in reported[0][0]] == [1, 2]
    assert reported[0][1][0].leader_id == 1
    assert reported[0][2] == 9


def test_a_deleted_topic_goes_with_its_logs(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.controller.take(DeletionAsked("dogs"))
    assert not cluster.controller.errors
    assert (cluster.log_bytes(1, "dogs"), cluster.log_bytes(2, "dogs")) == (b"", b"")
    assert not [*cluster.member(1).image.topics]


@pytest.mark.parametrize("fails", [False, True])
def test_deletions_are_synced_once_for_all_replicas_of_a_request(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    names = [f"dogs-{number}" for number in range(5)]
    for name in names:
        cluster.create(name, 1, 2)
    member = cluster.member(2)
    logs = member._roles._hosting._logs
    syncs: list[int] = []
    renamed: list[str] = []
    sync, rename = logs.sync_directories, RealDisk.rename

    def count_sync() -> None:
        syncs.append(len(renamed))
        if fails:
            raise StorageError("an I/O error")
        sync()

    def count_rename(disk: RealDisk, source: str, target: str, *, durable: bool = True) -> None:
        if target.endswith("-delete"):
            assert not durable
            renamed.append(target)
        rename(disk, source, target, durable=durable)

    monkeypatch.setattr(logs, "sync_directories", count_sync)
    monkeypatch.setattr(RealDisk, "rename", count_rename)
    row = StopReplicaPartitionState(partition_index=0, delete_partition=True)
    request = StopReplicaRequest(
        controller_id=1,
        controller_epoch=9,
        topic_states=[
            StopReplicaTopicState(topic_name=name, partition_states=[row]) for name in names
        ],
    )
    error, errors = cluster._on_loop(lambda: at_once(member.stop_replicas(request)))
    code = ErrorCode.KAFKA_STORAGE_ERROR if fails else ErrorCode.NONE
    assert (error, set(errors.values()), len(errors)) == (ErrorCode.NONE, {code}, 5)
    assert syncs == [5]


def test_a_group_goes_on_at_the_next_leader_of_its_offsets(cluster: LocalCluster) -> None:
    cluster.create("dogs", 2, 1)
    cluster.create("__consumer_offsets", 1, 2, cleanup_policy="compact")
    cluster.wait_for_isr("dogs", 1, 2)
    cluster.wait_for_isr("__consumer_offsets", 1, 2)
    produce(cluster, 0, 10)
    group = {"group.id": "pack", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    with Consumer(group, bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.subscribe(["dogs"])
        found: list[int] = []
        while len(found) < 10:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        consumer.commit()
    offsets = "__consumer_offsets"
    # The member's departure is written when it is answered, and copied a little later.
    cluster.wait_for_copy(1, 2, offsets)
    assert cluster.log_bytes(2, offsets) != b""
    cluster.stop(1)
    cluster.wait_for_isr("__consumer_offsets", 2)
    produce(cluster, 10, 5)
    with Consumer(group, bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.subscribe(["dogs"])
        more: list[int] = []
        while len(more) < 5:
            more += [int(record.value or b"") for record in consumer.poll(5.0)]
    assert more == [*range(10, 15)]


def test_a_member_that_lives_follows_its_group_to_another_broker(cluster: LocalCluster) -> None:
    cluster.create("dogs", 2, 1)
    cluster.create("__consumer_offsets", 1, 2, cleanup_policy="compact")
    cluster.wait_for_isr("dogs", 1, 2)
    offsets = TopicPartition("__consumer_offsets", 0)
    cluster.wait_for_isr(offsets.topic, 1, 2)
    produce(cluster, 0, 10)
    group = {"group.id": "pack", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    with Consumer(group, bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.subscribe(["dogs"])
        found: list[int] = []
        while len(found) < 10:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        cluster.controller.take(Reassigned({offsets: (NodeId(2), NodeId(1))}))
        assert not cluster.controller.take(PreferredElection((offsets,))).errors
        assert cluster.wait_for_isr(offsets.topic, 1, 2).leader == 2
        produce(cluster, 10, 5)
        while len(found) < 15:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        consumer.commit()
        assert found == [*range(15)]
        assert consumer.committed([("dogs", 0)]) == {TopicPartition("dogs", 0): 15}
    assert not cluster.controller.errors


def test_a_follower_whose_next_records_were_deleted_begins_anew(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.stop(2)
    cluster.wait_for_isr("dogs", 1)
    produce(cluster, 10, 40)
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        dogs = TopicPartition("dogs", 0)
        assert admin.delete_records({dogs: 30}) == {dogs: 30}
    cluster.start(2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 50, 10)
    log = cluster.partition(2, "dogs").log
    assert (log.start_offset, log.written_end) == (30, 60)
    cluster.stop(1)
    cluster.wait_for_isr("dogs", 2)
    assert consume(cluster, 30) == [*range(30, 60)]


def test_what_is_committed_is_written_down_at_a_stop(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 10)
    cluster.cut(2)
    produce(cluster, 10, 10, acks="1")
    cluster.stop(1)
    assert "dogs 0 10\n" in cluster.file(1, "replication-offset-checkpoint").read_text()


def test_a_broker_whose_session_ended_is_another_life_of_it(cluster: LocalCluster) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    before = cluster.member(1).broker_epoch
    produce(cluster, 0, 10)
    cluster.expire(1)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 10, 10)
    assert consume(cluster, 20) == list(range(20))
    registered = cluster.controller.registry.created_at("/brokers/ids/1")
    deadline = time.monotonic() + SECONDS
    while cluster.member(1).broker_epoch != registered:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert registered > before
    assert not cluster.controller.errors


def leads(places: dict[str, tuple[int, int]]) -> LeaderAndIsrRequest:
    """A request of the controller's: of each topic, who leads its only partition, and in which epoch."""
    states = [
        LeaderAndIsrTopicState(
            topic_name=name,
            partition_states=[
                LeaderAndIsrPartitionState(
                    partition_index=0, controller_epoch=9, leader=leader, leader_epoch=epoch,
                    isr=[leader], partition_epoch=0, replicas=[1, 2],
                )
            ],
        )
        for name, (leader, epoch) in places.items()
    ]  # fmt: skip
    return LeaderAndIsrRequest(
        controller_id=1, controller_epoch=9, topic_states=states, live_leaders=[]
    )


def test_roles_begin_in_steps_and_one_that_is_replaced_meanwhile_does_not_begin(
    cluster: LocalCluster,
) -> None:
    member = cluster.member(1)

    def role(name: str) -> tuple[type[object], int]:
        found = member._replicas.find(name, 0)
        return (type(None), -1) if found is None else (type(found.role), found.leader_epoch)

    def take(steps: Steps[object], until: Callable[[], bool] = lambda: False) -> None:
        """Make steps; the registry answers at once."""
        given: object = None
        with suppress(StopIteration):
            while not until():
                waits_for = steps.send(given)
                given = waits_for.outcome if waits_for is not None else None

    def take_both() -> None:
        steps = member.take_leaders(leads({"dogs": (1, 5), "cats": (1, 5)}))
        take(steps, lambda: role("dogs") == (LeaderRole, 5))
        assert role("cats") == (type(None), -1), "one log is made in a step"
        take(member.take_leaders(leads({"cats": (2, 6)})))
        take(steps)

    cluster._on_loop(take_both)
    assert [role("dogs"), role("cats")] == [(LeaderRole, 5), (FollowerRole, 6)]


def finish(steps: Steps[object]) -> None:
    """Make all steps; the registry answers at once."""
    given: object = None
    with suppress(StopIteration):
        while True:
            waits_for = steps.send(given)
            given = waits_for.outcome if waits_for is not None else None


@pytest.mark.parametrize("has_topics", [False, True])
def test_a_controller_without_topics_sends_one_request_and_nobody_waits_for_another(
    cluster: LocalCluster, *, has_topics: bool
) -> None:
    """Kafka's, that is: a broker that starts gets the topics with the brokers, or there are none."""
    member = cluster.member(1)
    if has_topics:
        cluster.create("dogs", 2)
    first = member.first_metadata = FirstMetadata(member._ports.timers)
    request = UpdateMetadataRequest(controller_id=1, controller_epoch=9, live_brokers=[])
    cluster._on_loop(lambda: finish(member.take_metadata(request)))
    assert first.brokers.is_over
    assert first.topics.is_over is not has_topics


def test_a_topic_is_known_when_all_its_partitions_are_named(cluster: LocalCluster) -> None:
    """Until then clients would count too few, and send keys to other partitions."""
    member = cluster.member(1)

    def partitions() -> list[int]:
        with RawClient(cluster.ports[1]) as client:
            asked = MetadataRequest(topics=[MetadataRequestTopic(name="dogs")])
            (topic,) = client.ask(asked, 9, MetadataResponse).topics
        assert bool(topic.partitions) is (topic.error_code == ErrorCode.NONE)
        return sorted(one.partition_index for one in topic.partitions)

    def led_by_one(*numbers: int) -> LeaderAndIsrRequest:
        request = leads({"dogs": (1, 5)})
        (topic,) = request.topic_states
        (row,) = topic.partition_states
        topic.partition_states = [copy(row) for _ in numbers]
        for one, number in zip(topic.partition_states, numbers, strict=True):
            one.partition_index = number
        return request

    def shown(*numbers: int) -> UpdateMetadataRequest:
        rows = [
            UpdateMetadataPartitionState(
                partition_index=number, controller_epoch=9, leader=1 + number % 2, leader_epoch=5,
                isr=[1 + number % 2], zk_version=0, replicas=[1 + number % 2],
            )
            for number in numbers
        ]  # fmt: skip
        (topic,) = leads({"dogs": (1, 5)}).topic_states
        states = UpdateMetadataTopicState(
            topic_name="dogs", topic_id=topic.topic_id, partition_states=rows
        )
        return UpdateMetadataRequest(
            controller_id=1, controller_epoch=9, topic_states=[states], live_brokers=[]
        )

    many = 1_500
    cluster._on_loop(lambda: finish(member.take_leaders(led_by_one(0, 2))))
    assert partitions() == []
    assert member.topics.count("dogs") == 0

    def half_way() -> int:
        """In the middle of a request that is taken in parts."""
        steps = member.take_metadata(shown(*range(many)))
        while len(member.image.topics["dogs"].partitions) < many / 2:
            next(steps)
        count = member.topics.count("dogs")
        finish(steps)
        return count

    assert cluster._on_loop(half_way) == 0
    assert partitions() == [*range(many)]
    cluster._on_loop(lambda: finish(member.take_leaders(led_by_one(many))))
    assert partitions() == [*range(many)]
    cluster._on_loop(lambda: finish(member.take_metadata(shown(many))))
    assert partitions() == [*range(many + 1)]


def test_a_follower_has_a_fetch_session_and_another_one_when_the_leader_forgets_it(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    leader = cluster.servers[1]._broker
    assert leader is not None
    sessions = leader.fetch_sessions
    for turn in range(2):
        produce(cluster, 10 * turn, 10)
        before = [*sessions._sessions]
        assert len(before) == 1
        cluster._on_loop(lambda: sessions.end(sessions._sessions[before[0]]))  # noqa: B023 - at once
        deadline = time.monotonic() + SECONDS
        while not sessions._sessions.keys() - {*before}:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    produce(cluster, 20, 10)
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")
