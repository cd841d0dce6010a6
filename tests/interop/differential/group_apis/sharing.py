"""Scripts about members of share groups: what they acknowledge, and where their sessions stand."""

import time
from collections.abc import Sequence
from typing import Any

from barnabas.protocol import share_acknowledge, share_fetch
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from barnabas.protocol.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.protocol.share_acknowledge import ShareAcknowledgeRequest
from barnabas.protocol.share_fetch import ShareFetchRequest
from barnabas.protocol.share_group_describe import ShareGroupDescribeRequest
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.interop.differential.group_apis.consumer_groups import settled
from tests.interop.differential.resources import GROUP, SET, changed
from tests.interop.differential.talk import Talk
from tests.interop.differential.transactions import Writer

MEMBER = "S4xOi3xpQwWkkmGhH5RCjw"
RELEASE, RENEW = 2, 4
Acknowledged = tuple[int, int, Sequence[int]]
"""First and last of the acquired, and what became of them."""


class Member:
    """A member of a share group, by its requests' versions, with its session."""

    def __init__(self, talk: Talk, topic_id: bytes, version: int) -> None:
        self.talk, self.topic_id, self.version, self.epoch = talk, topic_id, version, 0
        self.first = 0
        self.group = talk.topic(f"group-{version}")
        found = FindCoordinatorRequest(key=self.group, key_type=0)
        talk.wait(found, 3, lambda answer: not answer.error_code)
        joins = ShareGroupHeartbeatRequest(
            group_id=self.group,
            member_id=MEMBER,
            member_epoch=0,
            subscribed_topic_names=[talk.topic("dogs")],
        )
        # Kafka assigns what the group has a place in; before, fetches fail.
        talk.wait(joins, 1, lambda answer: answer.assignment and answer.assignment.topic_partitions)

    def request(self, response: Sequence[Acknowledged] = ()) -> ShareFetchRequest:
        batches = [
            share_fetch.AcknowledgementBatch(
                first_offset=self.first + first,
                last_offset=self.first + last,
                acknowledge_types=list(kinds),
            )
            for first, last, kinds in response
        ]
        place = share_fetch.FetchPartition(partition_index=0, acknowledgement_batches=batches)
        topic = share_fetch.FetchTopic(topic_id=self.topic_id, partitions=[place])
        self.epoch += 1
        return ShareFetchRequest(
            group_id=self.group,
            member_id=MEMBER,
            share_session_epoch=self.epoch - 1,
            max_wait_ms=200,
            min_bytes=1,
            max_bytes=1_000_000,
            max_records=10,
            batch_size=10,
            topics=[topic],
            forgotten_topics_data=[],
        )

    def acquire(self, *, fills: bool = True) -> int:
        """Fetch from the end on, until there is something, and nothing after it; gives how many.

        What it `fills` in goes by the moment: how soon Kafka begins the group at the partition.
        """
        got: list[share_fetch.AcquiredRecords] = []
        last = 0
        for _ in range(40):
            answer = self.talk.wait(self.request(), self.version, lambda _answer: True)
            assert not answer.error_code
            parts = [one for topic in answer.responses for one in topic.partitions]
            rows = [row for one in parts for row in one.acquired_records]
            got += rows
            if got and got[-1].last_offset >= last:
                self.first = got[0].first_offset
                return got[-1].last_offset + 1 - self.first
            if fills and not rows:
                last = self.fill()
        raise AssertionError("nothing was acquired")

    def fill(self) -> int:
        """Write three records; gives the offset of the last."""
        builder = BatchBuilder(Codec.NONE, 1000)
        for _ in range(3):
            builder.append(1_700_000_000_000, None, b"a record")
        part = PartitionProduceData(index=0, records=builder.build())
        topic = TopicProduceData(name=self.talk.topic("dogs"), partition_data=[part])
        asked = ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[topic])
        (response,) = self.talk.wait(asked, 9, lambda _answer: True).responses
        (place,) = response.partition_responses
        assert not place.error_code
        return int(place.base_offset) + 2

    def fetch(self, label: str, *response: Acknowledged) -> Any:
        label = f"{label}, fetched in {self.version}"
        self.talk.ask(label, self.request(response), self.version)
        for topic in self.talk.answers[label]["responses"]:
            for one in topic["partitions"]:
                one.pop("records")
                one.pop("acquired_records")

    def say(self, label: str, *response: Acknowledged, **more: Any) -> None:
        batches = [
            share_acknowledge.AcknowledgementBatch(
                first_offset=self.first + first,
                last_offset=self.first + last,
                acknowledge_types=list(kinds),
            )
            for first, last, kinds in response
        ]
        place = share_acknowledge.AcknowledgePartition(
            partition_index=0, acknowledgement_batches=batches
        )
        topic = share_acknowledge.AcknowledgeTopic(topic_id=self.topic_id, partitions=[place])
        self.talk.ask(
            f"{label} in {self.version}",
            ShareAcknowledgeRequest(
                group_id=self.group,
                member_id=MEMBER,
                share_session_epoch=self.epoch,
                topics=[topic],
                **more,
            ),
            self.version,
        )
        self.epoch += 1


def renewals(talk: Talk) -> None:
    """Locks that are to last longer, announced and not; the session goes on."""
    topic_id = talk.create("dogs")
    for version in (1, 2):
        with talk.one_connection():
            member = Member(talk, topic_id, version)
            member.acquire()
            member.say("renewed and not announced", (0, 0, [RENEW]))
            member.say("some renewed and not announced", (0, 1, [1, RENEW]))
            member.fetch("renewed and not announced", (0, 0, [RENEW]))
            if version > 1:
                member.say("renewed", (0, 0, [RENEW]), is_renew_ack=True)
            member.say("of no kind", (0, 0, [9]))
            member.say("accepted", (0, 0, [1]))
            member.fetch("accepted", (1, 1, [1]))


def acquired_by(member: Member, *wanted: int) -> list[int]:
    """All offsets that a member gets until it has some of them, and in two fetches after that."""
    got: list[int] = []
    after = 0
    while after < 2:
        answer = member.talk.wait(member.request(), member.version, lambda _answer: True)
        parts = [one for topic in answer.responses for one in topic.partitions]
        rows = [row for one in parts for row in one.acquired_records]
        got += [each for row in rows for each in range(row.first_offset, row.last_offset + 1)]
        after += set(wanted) <= set(got)
    return sorted(got)


def committed_records(talk: Talk) -> None:
    """A group that is to have committed records only: aborted ones, and one that is open for long."""
    topic_id = talk.create("dogs")
    topic, group = talk.topic("dogs"), talk.topic("group-2")
    settings = {"share.isolation.level": "read_committed", "share.auto.offset.reset": "earliest"}
    properties = changed(GROUP, group, *((name, SET, value) for name, value in settings.items()))
    talk.wait(properties, 1, lambda response: not response.responses[0].error_code)
    settled(talk)
    writer = Writer(talk, "writer", topic)
    writer.init("init")
    for number, is_kept in enumerate((True, False, True, False)):
        writer.add(f"adding {number}")
        writer.produce(f"first {number}", 9)
        writer.produce(f"second {number}", 9)
        writer.end(f"ending {number}", commit=is_kept)
    writer.add("adding what stays open")
    writer.produce("open", 9)
    with talk.one_connection():
        member = Member(talk, topic_id, 2)
        member.fill()
        talk.answers["before it ended"] = acquired_by(member, 1, 11)
        # What a lost connection leaves, Kafka gives back some time later, what a member that
        # closes had in hand almost at once: here it is to be known.
        member.epoch = -1
        member.say("closes", (0, 0, [RELEASE]))
    writer.end("ending what was open")
    with talk.one_connection():
        member.epoch = 0
        talk.answers["after it ended"] = acquired_by(member, 1, 16)


def share_mistakes(talk: Talk) -> None:
    """Acknowledgements of what a member does not have, and words that make no sense."""
    topic_id = talk.create("dogs", partitions=2)
    group = talk.topic("joining")
    found = FindCoordinatorRequest(key=group, key_type=0)
    talk.wait(found, 3, lambda answer: not answer.error_code)
    for label, member_id, topics in (
        ("no topics", MEMBER, []),
        ("topics not returned", MEMBER, None),
        ("a long id", "x" * 37, [talk.topic("dogs")]),
    ):
        joins = ShareGroupHeartbeatRequest(
            group_id=group, member_id=member_id, member_epoch=0, subscribed_topic_names=topics
        )
        talk.ask(f"joins with {label}", joins, 1)
    with talk.one_connection():
        member = Member(talk, topic_id, 1)
        member.acquire()
        member.say("overlapping", (0, 1, [1]), (1, 2, [1]))
        member.say("out of order", (2, 2, [1]), (0, 0, [1]))
        member.say("beyond the end", (0, 1000, [1]))
        member.first, first = -5, member.first
        member.say("below zero", (0, 4, [1]))
        member.first = first
        member.say("accepted", (0, 2, [1]))


def moved_offsets(talk: Talk) -> None:
    """Groups that are made by saying where they begin, and what is forgotten of them."""
    talk.create("dogs")
    talk.create("cats")
    group = talk.topic("made")
    found = FindCoordinatorRequest(key=group, key_type=0)
    talk.wait(found, 3, lambda answer: not answer.error_code)

    def move(label: str, name: str, *, of: str = group) -> None:
        place = AlterShareGroupOffsetsRequestPartition(partition_index=0, start_offset=0)
        topic = AlterShareGroupOffsetsRequestTopic(topic_name=name, partitions=[place])
        talk.ask(label, AlterShareGroupOffsetsRequest(group_id=of, topics=[topic]), 0)

    def forget(label: str, name: str, *, of: str = group) -> None:
        topic = DeleteShareGroupOffsetsRequestTopic(topic_name=name)
        talk.ask(label, DeleteShareGroupOffsetsRequest(group_id=of, topics=[topic]), 0)

    forget("forgotten before it is there", talk.topic("dogs"))
    move("made", talk.topic("dogs"))
    talk.ask(
        "described",
        ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=False),
        1,
    )
    forget("a topic it never read", talk.topic("cats"))
    forget("no such topic", "nowhere")
    forget("forgotten", talk.topic("dogs"))
    forget("forgotten again", talk.topic("dogs"))
    unnamed = FindCoordinatorRequest(key="", key_type=0)
    talk.wait(unnamed, 3, lambda answer: not answer.error_code)
    move("of no name", talk.topic("dogs"), of="")
    forget("forgotten of no name", talk.topic("dogs"), of="")
    talk.ask("nothing of no name", AlterShareGroupOffsetsRequest(group_id="", topics=[]), 0)


def share_subscriptions(talk: Talk) -> None:
    """A member that subscribes anew while the next assignment is not due."""
    names = {talk.create(name): name for name in ("cats", "dogs", "owls")}
    group = talk.topic("group")
    talk.wait(
        FindCoordinatorRequest(key=group, key_type=0), 3, lambda response: not response.error_code
    )
    rarely = changed(GROUP, group, ("share.assignment.interval.ms", SET, "5000"))
    talk.wait(rarely, 1, lambda response: not response.responses[0].error_code)
    settled(talk)

    def beat(epoch: int, *subscribed: str) -> ShareGroupHeartbeatRequest:
        return ShareGroupHeartbeatRequest(
            group_id=group,
            member_id=MEMBER,
            member_epoch=epoch,
            subscribed_topic_names=[talk.topic(name) for name in subscribed] or None,
        )

    def assigned(answer: Any) -> list[str] | None:
        if answer.assignment is None:
            return None
        return sorted(names[bytes(one.topic_id)] for one in answer.assignment.topic_partitions)

    def has_just(epoch: int, *subscribed: str) -> int:
        """Subscribe, and wait until the assignment is that; gives the member's epoch."""
        response = talk.wait(beat(epoch, *subscribed), 1, lambda _: True)
        while assigned(response) != list(subscribed):
            response = talk.wait(beat(response.member_epoch), 1, lambda _: True)
            time.sleep(0.05)
        return int(response.member_epoch)

    # Kafka assigns what it has kept a place for, which it may have a moment after the member came.
    epoch = has_just(has_just(0, "cats"), "cats", "dogs")
    for number, subscribed in enumerate(
        (("dogs",), (), ("cats", "dogs"), (), ("cats",), ("owls",), ("dogs", "owls"))
    ):
        response = talk.wait(beat(epoch, *subscribed), 1, lambda _: True)
        talk.answers[f"{number}: subscribed to {subscribed}"] = (
            response.error_code,
            response.member_epoch - epoch,
            assigned(response),
        )
    asked = ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=False)
    (described,) = talk.wait(asked, 1, lambda _: True).groups
    talk.answers["epochs"] = (
        described.group_state,
        described.group_epoch - epoch,
        described.assignment_epoch - epoch,
    )
    (member,) = described.members
    talk.answers["assigned"] = [names[one.topic_id] for one in member.assignment.topic_partitions]


SCENARIOS = (share_subscriptions, renewals, committed_records, share_mistakes, moved_offsets)
