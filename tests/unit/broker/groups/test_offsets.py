from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.dispatch import HANDLERS
from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.profiles import EVERYTHING
from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.pending import Pending, itself
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Stepping
from barnabas.broker.replicas.fetch_sessions import FetchSessions
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.topics.registered_topics import host_registered
from barnabas.broker.topics.topics import Topics
from barnabas.broker.transactions.producer_ids import ProducerIds
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.coordinators.offsets.partitioning import partition_for
from barnabas.errors import ErrorCode
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Clock, Disk, Entropy, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from barnabas.records.batches.batch import walk
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.types import TopicPartition
from barnabas.wire.send import Send
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimer, ManualTimers

NONE, UNKNOWN = ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
DOGS = TopicPartition("dogs", 0)


class NoTimers(ManualTimers):
    def after(self, seconds: float, callback: Callable[[], None]) -> ManualTimer:
        raise AssertionError("nothing here waits for a time")


class Around(NamedTuple):
    """What is not deterministic around a broker."""

    clock: Clock
    entropy: Entropy
    timers: Timers
    disk: Disk = RealDisk()


class Started:
    """A broker without a network, on a directory."""

    def __init__(self, path: Path, around: Around | None = None, /, **properties: str) -> None:
        around = around or Around(SystemClock(), SystemEntropy(), NoTimers())
        clock, entropy, timers, disk = around
        self.timers = timers
        config = BrokerConfig.load({"offsets.topic.num.partitions": "3", **properties})
        purgatory = Purgatory(timers, lambda: 0.0, some_memory())
        self.logs = LogManager(
            disk, clock, entropy, LogSettings(1, [str(path)]), lambda _topic: LogConfig()
        )
        self.logs.open()
        self.registry = EmbeddedRegistry(disk, str(path / "registry"))
        replicas = ReplicaManager(clock, purgatory)
        memory = ClientMemory(config.client_state_max_bytes, clock)
        self.weighing = ManualTimers()
        """Of the memory that groups take; the others are for what happens in groups."""
        topics = Topics(self.registry, Hosting(self.logs, replicas, config), entropy, config)
        host_registered(topics, self.logs)
        self.broker = Broker(
            settings=BrokerSettings(config),
            profile=EVERYTHING,
            cluster_id="c",
            clock=clock,
            entropy=entropy,
            timers=timers,
            registry=self.registry,
            logs=self.logs,
            producer_ids=ProducerIds(self.registry, 1),
            topics=topics,
            replicas=replicas,
            purgatory=purgatory,
            client_memory=memory,
            fetch_sessions=FetchSessions(1, replicas, memory, clock, entropy),
            groups=GroupShards(topics, replicas, clock, config, memory, self.weighing),
            advertised={"PLAINTEXT": Endpoint("PLAINTEXT", "here", 1234)},
        )
        # However slow the machine is.
        self.broker.stepping = Stepping(replicas.write, timers, lambda: 0.0)
        if topics.get("dogs") is None:
            topics.create("dogs", {0: [1], 1: [1]}, {})

    def ask(self, key: ApiKey, version: int, request: object) -> object:
        """The reply as a client of that version would read it."""
        context = RequestContext(key, version, "test", "PLAINTEXT", "127.0.0.1:1", 1, "/127.0.0.1")
        dialect = self.broker.profile.dialect(self.broker.ways)
        frame = encode_request(RequestHeader(key, version, 1, "test"), request).joined()
        asked = dialect.read_request(memoryview(frame)[4:])
        outcome = itself(HANDLERS[context.api_key](self.broker, context, asked.body))
        self.broker.replicas.write()
        if isinstance(self.timers, ManualTimers):
            self.timers.run_soon()
        answers: list[object] = [outcome]
        if isinstance(outcome, Pending):
            assert outcome.is_done
            outcome.on_done(answers.append)
        reply = dialect.write_response(asked, answers[-1])
        assert reply is not None
        data = reply.joined() if isinstance(reply, Send) else reply
        return decode_response(key, version, data[4:])[1]

    def topic_id(self) -> bytes:
        topic = self.broker.topics.get("dogs")
        assert topic is not None
        return topic.topic_id

    def stop(self) -> None:
        self.logs.close()
        self.registry.close()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    one = Started(tmp_path)
    yield one
    one.stop()


def commit(
    started: Started, version: int, offsets: dict[int, int], *, generation: int = -1
) -> dict[int, int]:
    by_id = version >= 10
    topic = OffsetCommitRequestTopic(
        name="" if by_id else "dogs",
        topic_id=started.topic_id() if by_id else bytes(16),
        partitions=[
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata="here"
            )
            for index, offset in offsets.items()
        ],
    )
    request = OffsetCommitRequest(
        group_id="kennel", generation_id_or_member_epoch=generation, topics=[topic]
    )
    answer = started.ask(ApiKey.OFFSET_COMMIT, version, request)
    assert isinstance(answer, OffsetCommitResponse)
    (answered,) = answer.topics
    assert (answered.name, answered.topic_id) == (topic.name, topic.topic_id)
    return {one.partition_index: one.error_code for one in answered.partitions}


def fetch(started: Started, version: int, indexes: list[int] | None) -> dict[int, tuple[int, str]]:
    named = indexes is not None
    partitions = indexes or []
    if version >= 8:
        topics = [
            OffsetFetchRequestTopics(
                name="" if version >= 10 else "dogs",
                topic_id=started.topic_id() if version >= 10 else bytes(16),
                partition_indexes=partitions,
            )
        ]
        group = OffsetFetchRequestGroup(group_id="kennel", topics=topics if named else None)
        request = OffsetFetchRequest(groups=[group])
    else:
        topic = OffsetFetchRequestTopic(name="dogs", partition_indexes=partitions)
        request = OffsetFetchRequest(group_id="kennel", topics=[topic] if named else None)
    answer = started.ask(ApiKey.OFFSET_FETCH, version, request)
    assert isinstance(answer, OffsetFetchResponse)
    assert answer.error_code == 0
    found = answer.groups[0].topics if version >= 8 else answer.topics
    assert all(one.error_code == 0 for topic in found for one in topic.partitions)
    return {
        one.partition_index: (one.committed_offset, one.metadata or "")
        for topic in found
        for one in topic.partitions
    }


@pytest.mark.parametrize("version", range(1, 11))
def test_every_version_of_a_commit_is_kept(started: Started, version: int) -> None:
    assert commit(started, version, {0: 5, 1: 7, 2: 9}) == {0: NONE, 1: NONE, 2: UNKNOWN}
    assert fetch(started, 8, None) == {0: (5, "here"), 1: (7, "here")}


def queue(started: Started, offset: int, time_ms: int) -> None:
    """A commit that is written when its turn is over."""
    given = OffsetAndMetadata(offset, -1, "here", time_ms, topic_id=started.topic_id())
    request = Commit("kennel", Identity(""), -1, {DOGS: given}, ErrorCode.NONE)
    started.broker.offsets.commit(request, lambda codes: codes)


def forget_topic(broker: Broker) -> None:
    [*broker.offsets.forget_topics({"dogs"})]


def delete_group(broker: Broker) -> None:
    broker.stepping.run(broker.group_removal.delete_groups(["kennel"]))


def delete_offset(broker: Broker) -> None:
    broker.stepping.run(broker.group_removal.delete_offsets("kennel", [DOGS]))


@pytest.mark.parametrize("delete", [forget_topic, delete_group, delete_offset])
def test_what_the_same_turn_commits_goes_too(
    started: Started, delete: Callable[[Broker], None]
) -> None:
    commit(started, 9, {0: 5})
    queue(started, 7, started.broker.clock.time_ms())
    delete(started.broker)
    started.broker.replicas.write()
    assert fetch(started, 8, None) == {}


def test_what_is_committed_again_does_not_expire_in_that_turn(started: Started) -> None:
    queue(started, 5, 0)
    started.broker.replicas.write()
    queue(started, 7, started.broker.clock.time_ms())
    [*started.broker.offsets.expire()]
    assert fetch(started, 8, None) == {0: (7, "here")}
    [*started.broker.offsets.expire()]
    assert fetch(started, 8, None) == {0: (7, "here")}


def test_offsets_of_many_groups_go_in_steps(started: Started) -> None:
    """All of 100,000 groups took a second, in which no client was served."""
    broker = started.broker
    count = 3 * 600
    for number in range(count):
        given = OffsetAndMetadata(5, -1, "", 1, topic_id=started.topic_id())
        at = {DOGS: given, DOGS._replace(partition=1): given._replace(commit_timestamp=2**62)}
        commit = Commit(f"g{number}", Identity(""), -1, at, ErrorCode.NONE)
        broker.offsets.commit(commit, lambda codes: codes)
    broker.replicas.write()

    def left() -> int:
        shards = [held.shard.offsets for held in broker.groups.loaded()]
        return sum(one.count(group) for one in shards for group in one.groups())

    for begin, lasting in (
        (broker.offsets.expire, count),
        (lambda: broker.offsets.forget_topics({"dogs"}), 0),
    ):
        before = left()
        most = 0
        for _ in begin():
            most, before = max(most, before - left()), left()
        assert left() == lasting
        assert most <= 256


@pytest.mark.parametrize("version", range(1, 11))
def test_every_version_of_a_fetch_is_answered(started: Started, version: int) -> None:
    assert fetch(started, version, [0]) == {0: (-1, "")}
    commit(started, 9, {0: 5})
    assert fetch(started, version, [1, 0]) == {1: (-1, ""), 0: (5, "here")}
    if version >= 2:
        assert fetch(started, version, None) == {0: (5, "here")}


def commit_0(started: Started, group: str, topic: str, index: int, offset: int, given: str) -> int:
    partition = OffsetCommitRequestPartition(
        partition_index=index, committed_offset=offset, committed_metadata=given
    )
    topics = [OffsetCommitRequestTopic(name=topic, partitions=[partition])]
    request = OffsetCommitRequest(group_id=group, topics=topics)
    answer = started.ask(ApiKey.OFFSET_COMMIT, 0, request)
    assert isinstance(answer, OffsetCommitResponse)
    return answer.topics[0].partitions[0].error_code


def fetch_0(started: Started, group: str, index: int) -> tuple[int, int]:
    topic = OffsetFetchRequestTopic(name="dogs", partition_indexes=[index])
    request = OffsetFetchRequest(group_id=group, topics=[topic])
    answer = started.ask(ApiKey.OFFSET_FETCH, 0, request)
    assert isinstance(answer, OffsetFetchResponse)
    (found,) = answer.topics[0].partitions
    assert found.metadata == ""
    return found.error_code, found.committed_offset


def test_offsets_of_version_0_are_apart_and_outlive_the_broker(tmp_path: Path) -> None:
    first = Started(tmp_path)
    assert fetch_0(first, "kennel", 0) == (UNKNOWN, -1)
    assert commit_0(first, "kennel", "dogs", 0, 5, "here") == NONE
    assert fetch(first, 1, [0]) == {0: (-1, "")}
    commit(first, 1, {1: 7})
    assert fetch_0(first, "kennel", 1) == (UNKNOWN, -1)
    first.stop()
    second = Started(tmp_path)
    assert fetch_0(second, "kennel", 0) == (NONE, 5)
    second.stop()


@pytest.mark.parametrize(
    ("group", "topic", "index", "given", "code"),
    [
        ("kennel", "birds", 0, "", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("kennel", "dogs", 9, "", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("kennel", "dogs", 0, "x" * 5000, ErrorCode.OFFSET_METADATA_TOO_LARGE),
        ("", "dogs", 0, "", ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_what_version_0_refuses(
    started: Started, group: str, topic: str, index: int, given: str, code: ErrorCode
) -> None:
    assert commit_0(started, group, topic, index, 5, given) == code
    # Kafka has ZooKeeper refuse a group without a name also where it only looks for one.
    assert fetch_0(started, group, 0) == (UNKNOWN if group else ErrorCode.UNKNOWN_SERVER_ERROR, -1)


def test_a_position_in_what_is_not_there_is_not_returned(started: Started) -> None:
    started.registry.create("/consumers/kennel/offsets/dogs/9", b"5")
    assert fetch_0(started, "kennel", 9) == (UNKNOWN, -1)
    assert fetch_0(started, "..", 9) == (UNKNOWN, -1)


def test_groups_with_offsets_are_listed_by_state_and_type(started: Started) -> None:
    def listed(version: int, **filters: list[str]) -> list[tuple[str, str, str]]:
        request = ListGroupsRequest(**filters)
        answer = started.ask(ApiKey.LIST_GROUPS, version, request)
        assert isinstance(answer, ListGroupsResponse)
        assert answer.error_code == 0
        return [(one.group_id, one.group_state, one.group_type) for one in answer.groups]

    assert listed(0) == []
    commit(started, 9, {0: 5})
    assert listed(0) == listed(3) == [("kennel", "", "")]
    assert listed(5) == [("kennel", "Empty", "classic")]
    assert listed(5, states_filter=["empty", "Stable"], types_filter=["Classic"])
    assert not listed(4, states_filter=["Stable"])
    assert not listed(5, types_filter=["consumer"])


@pytest.mark.parametrize("version", range(7))
def test_every_version_of_find_coordinator_names_this_broker(
    started: Started, version: int
) -> None:
    request = FindCoordinatorRequest(key="kennel", coordinator_keys=["kennel"] * (version >= 4))
    answer = started.ask(ApiKey.FIND_COORDINATOR, version, request)
    assert isinstance(answer, FindCoordinatorResponse)
    found = answer.coordinators[0] if version >= 4 else answer
    assert (found.node_id, found.host, found.port, found.error_code) == (1, "here", 1234, 0)
    topic = started.broker.topics.get(OFFSETS_TOPIC)
    assert topic is not None
    assert len(topic.partitions) == 3


def test_there_is_no_coordinator_of_share_groups(started: Started) -> None:
    request = FindCoordinatorRequest(key="t", key_type=2)
    answer = started.ask(ApiKey.FIND_COORDINATOR, 3, request)
    assert isinstance(answer, FindCoordinatorResponse)
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_offsets_outlive_the_broker(tmp_path: Path) -> None:
    first = Started(tmp_path)
    commit(first, 9, {0: 5, 1: 7})
    commit(first, 9, {0: 6})
    first.stop()
    second = Started(tmp_path)
    assert fetch(second, 9, [0, 1]) == {0: (6, "here"), 1: (7, "here")}
    second.stop()


def test_they_are_compressed_as_configured_and_read_however_they_were(
    tmp_path: Path,
) -> None:
    for codec in Codec:
        one = Started(tmp_path, **{"offsets.topic.compression.codec": str(codec.value)})
        if codec:
            assert fetch(one, 9, [0]) == {0: (codec - 1, "here")}
        commit(one, 9, {0: codec})
        assert fetch(one, 9, [0]) == {0: (codec, "here")}
        log = one.broker.groups.of("kennel").partition.log
        found = log.read(0, 1 << 20, max_offset=log.written_end, min_one=True).records
        assert found is not None
        written = memoryview(found.file.read(found.position, found.size))
        assert [each.codec for each in walk(written)] == list(Codec)[: codec + 1]
        one.stop()


@pytest.mark.parametrize(
    ("version", "code"), [(8, ErrorCode.ILLEGAL_GENERATION), (9, ErrorCode.GROUP_ID_NOT_FOUND)]
)
def test_a_member_of_no_group_is_refused(started: Started, version: int, code: ErrorCode) -> None:
    assert commit(started, version, {0: 5}, generation=1) == {0: code}
    assert fetch(started, 9, [0]) == {0: (-1, "")}


def test_what_cannot_be_written_does_not_count(started: Started) -> None:
    commit(started, 9, {0: 5})
    partition = started.broker.replicas.find(OFFSETS_TOPIC, partition_for("kennel", 3))
    assert partition is not None
    partition.log.segments.active.file.close()
    assert commit(started, 9, {0: 6}) == {0: ErrorCode.COORDINATOR_NOT_AVAILABLE}
    assert fetch(started, 9, [0]) == {0: (5, "here")}


def test_offsets_of_a_deleted_topic_are_forgotten(started: Started) -> None:
    commit(started, 9, {0: 5})
    [*started.broker.offsets.forget_topics({"dogs"})]
    started.broker.replicas.write()
    assert fetch(started, 9, None) == {}
