"""Records of share groups over the wire: locks that end, members that vanish, limits, sessions."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Self

import pytest

from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.errors import ErrorCode
from barnabas.protocol import share_fetch as fetching
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsResponse,
)
from barnabas.protocol.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsResponse,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.protocol.share_acknowledge import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
)
from barnabas.protocol.share_fetch import (
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
    ShareFetchResponse,
)
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

CONFIG = {
    "group.share.record.lock.duration.ms": "60000",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.delivery.count.limit": "2",
    "offsets.topic.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
}
Span = tuple[int, int, int]
"""First and last offset, and how often they were delivered."""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(CONFIG) as one:
        yield one


class Member:
    """A member of a group on a connection of its own, which it says what is new to."""

    def __init__(self, broker: EmbeddedBroker, name: str, topic: bytes) -> None:
        self.client = RawClient(broker.port)
        self.name, self.topic, self.epoch = name, topic, 0
        self.group = group_of(topic)
        self.codes: list[int] = []
        """What the last fetch returned of partitions."""
        self.refused = False
        """Whether the last acknowledgement was refused as a whole."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.__exit__(None, None, None)

    def join(self, *topics: str, epoch: int = 0) -> None:
        asked = ShareGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.name,
            member_epoch=epoch,
            subscribed_topic_names=list(topics),
        )
        self.client.ask(asked, 1, ShareGroupHeartbeatResponse)

    def leave(self) -> None:
        self.join(epoch=-1)

    def fetch(self, *, most: int = 100, wait_ms: int = 0, epoch: int | None = None) -> list[Span]:
        answer = self.fetched(most=most, wait_ms=wait_ms, epoch=epoch)
        assert answer.error_code == ErrorCode.NONE
        self.codes = [one.error_code for topic in answer.responses for one in topic.partitions]
        return [
            (one.first_offset, one.last_offset, one.delivery_count)
            for topic in answer.responses
            for partition in topic.partitions
            for one in partition.acquired_records
        ]

    def fetched(
        self,
        *,
        most: int = 100,
        wait_ms: int = 0,
        epoch: int | None = None,
        places: Sequence[FetchPartition] = (),
        mode: int = 1,
    ) -> ShareFetchResponse:
        if not self.epoch:
            places = [FetchPartition(partition_index=0, acknowledgement_batches=[])]
        request = ShareFetchRequest(
            group_id=self.group,
            member_id=self.name,
            share_session_epoch=self.epoch if epoch is None else epoch,
            max_wait_ms=wait_ms,
            min_bytes=1,
            max_records=most,
            batch_size=most,
            share_acquire_mode=mode,
            topics=[FetchTopic(topic_id=self.topic, partitions=list(places))] if places else [],
            forgotten_topics_data=[],
        )
        self.epoch += epoch is None
        return self.client.ask(request, 2, ShareFetchResponse)

    def say(self, first: int, last: int, kinds: Sequence[int], *, renews: bool = False) -> int:
        batch = AcknowledgementBatch(
            first_offset=first, last_offset=last, acknowledge_types=list(kinds)
        )
        place = AcknowledgePartition(partition_index=0, acknowledgement_batches=[batch])
        request = ShareAcknowledgeRequest(
            group_id=self.group,
            member_id=self.name,
            share_session_epoch=self.epoch,
            is_renew_ack=renews,
            topics=[AcknowledgeTopic(topic_id=self.topic, partitions=[place])],
        )
        self.epoch += 1
        answer = self.client.ask(request, 2, ShareAcknowledgeResponse)
        self.refused = answer.error_code != ErrorCode.NONE
        if answer.error_code:
            return answer.error_code
        return answer.responses[0].partitions[0].error_code

    def say_with_fetch(self, offset: int, kind: int) -> int:
        batch = fetching.AcknowledgementBatch(
            first_offset=offset, last_offset=offset, acknowledge_types=[kind]
        )
        place = FetchPartition(partition_index=0, acknowledgement_batches=[batch])
        answer = self.fetched(places=[place])
        assert answer.error_code == ErrorCode.NONE
        return answer.responses[0].partitions[0].acknowledge_error_code


def topic_id(port: int, name: str) -> bytes:
    asked = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
    with RawClient(port) as client:
        return bytes(client.ask(asked, 12, MetadataResponse).topics[0].topic_id)


def group_of(topic_id: bytes) -> str:
    """Each topic has a group of its own."""
    return f"of-{topic_id.hex()}"


class Topic:
    """A topic of one partition, at whose end the group begins."""

    def __init__(self, broker: EmbeddedBroker, name: str) -> None:
        self.name, self.port = name, broker.port
        self.log = broker.data_dir / f"{name}-0" / "00000000000000000000.log"
        broker.create_topic(name)
        self.topic_id = topic_id(broker.port, name)
        with Member(broker, "first", self.topic_id) as first:
            first.join(name)
            assert first.fetch() == []

    def fill(self, count: int) -> None:
        part = PartitionProduceData(index=0, records=batch(*[b"x"] * count))
        topic = TopicProduceData(name=self.name, partition_data=[part])
        request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic])
        with RawClient(self.port) as client:
            client.ask(request, 8, ProduceResponse)


@pytest.fixture
def topic(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> Topic:
    return Topic(broker, request.node.name)


def test_each_record_goes_to_one_member(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "a", topic.topic_id) as a, Member(broker, "b", topic.topic_id) as b:
        topic.fill(5)
        assert a.fetch(most=2) == [(0, 1, 1)]
        assert b.fetch() == [(2, 4, 1)]
        assert a.say(0, 1, [1]) == ErrorCode.NONE
        assert a.say(2, 4, [1]) == ErrorCode.INVALID_RECORD_STATE
        assert b.say(2, 4, [1, 2, 3]) == ErrorCode.NONE
        assert a.fetch() == [(3, 3, 2)]
        # Delivered as often as it may be: released, it is over.
        assert a.say(3, 3, [2]) == ErrorCode.NONE
        assert b.fetch() == []


def test_a_lock_ends_and_who_waits_gets_the_records() -> None:
    short = CONFIG | {"group.share.record.lock.duration.ms": "1000"}
    with EmbeddedBroker(short) as broker, ExitStack() as members:
        topic = Topic(broker, "locked")
        a, b = (members.enter_context(Member(broker, name, topic.topic_id)) for name in "ab")
        topic.fill(1)
        assert a.fetch() == [(0, 0, 1)]
        assert b.fetch(wait_ms=20_000) == [(0, 0, 2)]
        assert a.say(0, 0, [1]) == ErrorCode.INVALID_RECORD_STATE


def test_who_vanishes_leaves_what_he_had(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "b", topic.topic_id) as b:
        with Member(broker, "a", topic.topic_id) as a:
            topic.fill(1)
            assert a.fetch() == [(0, 0, 1)]
        assert b.fetch(wait_ms=20_000) == [(0, 0, 2)]


def test_who_had_nothing_has_nothing_looked_for(
    broker: EmbeddedBroker, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of 1,900 sessions, beside 5,000 partitions of the group, once took 8 s."""
    looked_for: list[str] = []
    has_any = SharePartition.has_any

    def counted(state: SharePartition, member: str) -> bool:
        looked_for.append(member)
        return has_any(state, member)

    monkeypatch.setattr(SharePartition, "has_any", counted)
    with Member(broker, "b", topic.topic_id) as b:
        with (
            Member(broker, "idle", topic.topic_id) as idle,
            Member(broker, "a", topic.topic_id) as a,
        ):
            assert idle.fetch() == []
            topic.fill(1)
            assert a.fetch() == [(0, 0, 1)]
        assert b.fetch(wait_ms=20_000) == [(0, 0, 2)]
    assert "a" in looked_for
    assert "idle" not in looked_for


def test_who_leaves_may_still_say_what_became_of_his_records(
    broker: EmbeddedBroker, topic: Topic
) -> None:
    with Member(broker, "b", topic.topic_id) as b, Member(broker, "a", topic.topic_id) as a:
        a.join(topic.name)
        topic.fill(3)
        assert a.fetch() == [(0, 2, 1)]
        a.leave()
        assert b.fetch() == []
        assert a.say(0, 0, [1]) == ErrorCode.NONE
        a.epoch = -1
        assert a.say(1, 1, [1]) == ErrorCode.NONE
        assert b.fetch() == [(2, 2, 2)], "the session is over"
        a.epoch = 0
        assert a.say(2, 2, [1]) == ErrorCode.INVALID_SHARE_SESSION_EPOCH


def test_locks_are_charged_and_given_back_when_records_are_acknowledged() -> None:
    with EmbeddedBroker(CONFIG | {"client.state.max.bytes": "50000"}) as broker:
        topic = Topic(broker, "charged")
        with Member(broker, "a", topic.topic_id) as a:
            for _ in range(200):
                topic.fill(1)
            locked = 0
            while a.fetch(most=1):
                locked += 1
            assert 50 < locked < 150
            assert a.codes == []
            assert a.say(0, locked - 1, [1]) == ErrorCode.NONE
            assert a.fetch(most=1) == [(locked, locked, 1)]


def test_sessions_go_step_by_step(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "s", topic.topic_id) as member:
        assert member.fetched(epoch=3).error_code == ErrorCode.SHARE_SESSION_NOT_FOUND
        assert member.say(0, 0, [1]) == ErrorCode.INVALID_SHARE_SESSION_EPOCH
        member.epoch = 0
        assert member.fetch() == []
        assert member.fetched(epoch=5).error_code == ErrorCode.INVALID_SHARE_SESSION_EPOCH
        assert member.say(0, 0, [9]) == ErrorCode.INVALID_REQUEST
        topic.fill(1)
        assert member.fetched(epoch=-1).error_code == ErrorCode.NONE
        assert member.fetched(epoch=3).error_code == ErrorCode.SHARE_SESSION_NOT_FOUND


def test_there_are_two_modes_to_acquire_in(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "m", topic.topic_id) as member:
        assert member.fetch() == []
        topic.fill(2)
        for mode in (2, -1):
            answer = member.fetched(mode=mode)
            assert (answer.error_code, answer.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, [])
        assert member.fetch() == [(0, 1, 1)]
        assert member.fetched(mode=2, epoch=-1).error_code == ErrorCode.NONE


def test_a_renewal_must_be_announced(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "r", topic.topic_id) as member:
        assert member.fetch() == []
        topic.fill(2)
        assert member.fetch() == [(0, 1, 1)]
        # It is the partition that is refused: the session goes on, and the records stay locked.
        assert member.say(0, 1, [4, 1]) == ErrorCode.INVALID_REQUEST
        assert not member.refused
        assert member.say_with_fetch(0, 4) == ErrorCode.INVALID_REQUEST
        assert member.say_with_fetch(1, 1) == ErrorCode.NONE
        assert member.say(0, 0, [4], renews=True) == ErrorCode.NONE
        assert member.say(0, 0, [1]) == ErrorCode.NONE


def test_a_group_without_a_name_is_moved_nowhere(broker: EmbeddedBroker) -> None:
    with RawClient(broker.port) as client:
        moved = AlterShareGroupOffsetsRequest(group_id="", topics=[])
        answer = client.ask(moved, 0, AlterShareGroupOffsetsResponse)
        assert answer.error_code == ErrorCode.INVALID_GROUP_ID
        forgotten = DeleteShareGroupOffsetsRequest(group_id="", topics=[])
        answered = client.ask(forgotten, 0, DeleteShareGroupOffsetsResponse)
        assert answered.error_code == ErrorCode.INVALID_GROUP_ID


def test_a_damaged_log_is_reported(broker: EmbeddedBroker, topic: Topic) -> None:
    with Member(broker, "a", topic.topic_id) as member:
        topic.fill(1)
        with topic.log.open("r+b") as file:
            file.seek(16)
            file.write(b"\x09")
        assert (member.fetch(), member.codes) == ([], [ErrorCode.CORRUPT_MESSAGE])


def test_a_topic_whose_offsets_are_positions_is_not_shared(broker: EmbeddedBroker) -> None:
    broker.create_topic("old", config={"message.format.version": "0.7"})
    with Member(broker, "a", topic_id(broker.port, "old")) as member:
        assert (member.fetch(), member.codes) == ([], [ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT])


def test_nobody_reads_what_the_group_does_not_subscribe_to(
    broker: EmbeddedBroker, topic: Topic
) -> None:
    """As by Kafka 4.3; and nothing is kept of it. Once it was for members, it stays so."""
    broker.create_topic("strange")
    with Member(broker, "a", topic.topic_id) as a, Member(broker, "b", topic.topic_id) as b:
        a.topic = topic_id(broker.port, "strange")
        for _ in range(2):
            assert (a.fetch(), a.codes) == ([], [ErrorCode.UNKNOWN_SERVER_ERROR])
            assert a.say(0, 0, [1]) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        b.join(topic.name, "strange")
        # Only a heartbeat makes the assignment, a second after the last one at the earliest.
        while a.codes:
            assert a.fetch(wait_ms=50) == []
            b.join(topic.name, "strange")
        b.join(topic.name)
        assert (a.fetch(), a.codes) == ([], [])


def test_nothing_is_returned_while_a_session_has_an_unknown_topic(
    broker: EmbeddedBroker, topic: Topic
) -> None:
    """As by Kafka 4.3: what it comes to counts all the same."""
    nowhere = [FetchPartition(partition_index=0, acknowledgement_batches=[])]
    with Member(broker, "a", topic.topic_id) as a:
        assert a.fetch() == []
        a.topic = b"\1" * 16
        assert a.fetched(places=nowhere).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        topic.fill(1)
        answer = a.fetched()
        assert (answer.error_code, answer.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, [])
        assert a.say(0, 0, [1]) == ErrorCode.UNKNOWN_TOPIC_ID
        a.topic = topic.topic_id
        assert a.say(0, 0, [1]) == ErrorCode.NONE
        assert a.fetched(epoch=-1).error_code == ErrorCode.NONE
