"""Scripts about consumer groups (KIP-848): the response to each heartbeat, and which members are refused."""

import itertools
import time
from collections.abc import Sequence
from typing import Any

from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.interop.differential.group_apis.groups import NOT_READY
from tests.interop.differential.talk import Talk

NEVER = 10_000_000
_GROUP, _SET = 32, 0
_numbers = itertools.count(1)


class One:
    """One member of one consumer group, and its words."""

    def __init__(self, talk: Talk, group: str, name: str, instance: str | None = None) -> None:
        self.talk, self.group, self.name, self.instance = talk, talk.topic(group), name, instance
        self.epoch = 0
        self.has: dict[bytes, Sequence[int]] = {}
        found = FindCoordinatorRequest(key=self.group, key_type=0)
        talk.wait(found, 3, lambda response: not response.error_code)
        talk.wait(self.beat(epoch=NEVER), 1, lambda response: response.error_code not in NOT_READY)

    def beat(self, *, epoch: int | None = None, **more: Any) -> ConsumerGroupHeartbeatRequest:
        return ConsumerGroupHeartbeatRequest(
            group_id=more.pop("group", self.group),
            member_id=more.pop("member_id", self.name),
            member_epoch=self.epoch if epoch is None else epoch,
            instance_id=more.pop("instance", self.instance),
            **more,
        )

    def says(self, label: str, version: int = 1, **more: Any) -> Any:
        """Say something, and remember what one is to have from now on."""
        response = self.talk.ask(label, self.beat(**more), version)
        if not response.error_code:
            self.epoch = response.member_epoch
            if response.assignment is not None:
                self.has = {
                    bytes(one.topic_id): list(one.partitions)
                    for one in response.assignment.topic_partitions
                }
        return response

    def joins(self, label: str, *topics: str, version: int = 1, **more: Any) -> Any:
        """Say everything."""
        names = [self.talk.topic(one) for one in topics]
        response = {"rebalance_timeout_ms": 60_000, "topic_partitions": [], **more}
        response.setdefault("subscribed_topic_names", names)
        return self.says(label, version, **response)

    def owned(self) -> list[TopicPartitions]:
        return [
            TopicPartitions(topic_id=topic_id, partitions=list(partitions))
            for topic_id, partitions in self.has.items()
        ]

    def describe(self) -> ConsumerGroupDescribeRequest:
        return ConsumerGroupDescribeRequest(
            group_ids=[self.group], include_authorized_operations=True
        )

    def commit(self, topic: str, epoch: int, *, name: str | None = None) -> OffsetCommitRequest:
        place = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=7, committed_metadata=None
        )
        return OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=epoch,
            member_id=self.name if name is None else name,
            topics=[OffsetCommitRequestTopic(name=self.talk.topic(topic), partitions=[place])],
        )

    def fetch(self, topic: str, epoch: int, *, name: str | None) -> OffsetFetchRequest:
        asked = OffsetFetchRequestTopics(name=self.talk.topic(topic), partition_indexes=[0])
        group = OffsetFetchRequestGroup(
            group_id=self.group, member_id=name, member_epoch=epoch, topics=[asked]
        )
        return OffsetFetchRequest(groups=[group])


def strangers_to_consumer_groups(talk: Talk) -> None:
    """Requests that are always refused."""
    talk.create("t")
    known(talk, "t")
    one = One(talk, "none", "one")
    one.says("goes on in no group", epoch=5)
    one.says("leaves no group", epoch=-1)
    one.says("is away from no group", epoch=-2, instance="i")
    one.joins("no group id", "t", group="")
    one.joins("blank group id", "t", group=" ")
    one.joins("no member id", "t", member_id="")
    one.joins("no instance id", "t", instance="")
    one.joins("no rack", "t", rack_id="")
    one.joins("no timeout", "t", rebalance_timeout_ms=-1)
    one.joins("has something", "t", topic_partitions=[_owned(b"\1" * 16)])
    one.joins("says not what it has", "t", topic_partitions=None)
    one.joins("wants nothing", subscribed_topic_names=None)
    one.joins("unknown assignor", "t", server_assignor="best")
    one.says("away without a name", epoch=-2)
    one.says("epoch below all", epoch=-3)
    one.joins("no expression", subscribed_topic_names=None, subscribed_topic_regex="(a")
    one.joins("no expression of RE2", subscribed_topic_names=None, subscribed_topic_regex="(?=a)b")
    for version in (0, 1):
        talk.ask(f"described {version}", one.describe(), version)
    talk.ask("no group described", ConsumerGroupDescribeRequest(
        group_ids=[""], include_authorized_operations=False), 0)  # fmt: skip


def known(talk: Talk, topic: str) -> None:
    """Wait until the coordinator of groups knows a topic that was made just now.

    It is the last in Kafka to hear of a change: whatever was changed before counts then.
    """
    first = One(talk, f"first-{next(_numbers)}", "first")
    joins = first.beat(
        rebalance_timeout_ms=60_000, topic_partitions=[], subscribed_topic_names=[talk.topic(topic)]
    )
    talk.wait(
        joins, 1, lambda response: response.assignment and response.assignment.topic_partitions
    )
    talk.wait(first.beat(epoch=-1), 1, lambda response: not response.error_code)


def configure(talk: Talk, group: str, **properties: str) -> None:
    """Give a group properties, and wait until they count."""
    rows = [
        AlterableConfig(name=name, config_operation=_SET, value=value)
        for name, value in properties.items()
    ]
    resource = AlterConfigsResource(resource_type=_GROUP, resource_name=group, configs=rows)
    asked = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    talk.wait(asked, 1, lambda response: not response.responses[0].error_code)
    settled(talk)


def settled(talk: Talk) -> None:
    """Wait until all that was changed before counts."""
    name = f"seen-{next(_numbers)}"
    talk.create(name)
    known(talk, name)


def _owned(topic_id: bytes) -> TopicPartitions:
    return TopicPartitions(topic_id=topic_id, partitions=[0])


def one_alone(talk: Talk) -> None:
    """A member from its first word to its last."""
    talk.create("t", partitions=3)
    talk.create("u", partitions=2)
    known(talk, "u")
    one = One(talk, "alone", "one")
    one.joins("joins", "t")
    one.says("is there")
    one.says("has it all", topic_partitions=one.owned())
    talk.ask("described", one.describe(), 1)
    talk.ask("described as of before", one.describe(), 0)
    talk.ask("described as classic", DescribeGroupsRequest(groups=[one.group]), 5)
    talk.ask("described as classic anew", DescribeGroupsRequest(groups=[one.group]), 6)
    one.says("is ahead", epoch=one.epoch + 1)
    one.says("is behind", epoch=one.epoch - 1)
    talk.ask("commits", one.commit("t", one.epoch), 9)
    talk.ask("commits ahead", one.commit("t", one.epoch + 1), 9)
    talk.ask("commits behind", one.commit("t", one.epoch - 1), 9)
    talk.ask("commits as before", one.commit("t", one.epoch), 8)
    talk.ask("commits for another", one.commit("t", one.epoch, name="two"), 9)
    talk.ask("commits from outside", one.commit("t", -1, name=""), 9)
    talk.ask("asks", one.fetch("t", one.epoch, name="one"), 9)
    talk.ask("asks ahead", one.fetch("t", one.epoch + 1, name="one"), 9)
    talk.ask("asks for another", one.fetch("t", one.epoch, name="two"), 9)
    talk.ask("asks from outside", one.fetch("t", -1, name=None), 9)
    talk.ask("deleted too early", DeleteGroupsRequest(groups_names=[one.group]), 2)
    one.joins("joins again", "t")
    # A group has its next assignment a second after the last one at the earliest (KIP-1263).
    time.sleep(1.1)
    one.says("two topics", subscribed_topic_names=[talk.topic("t"), talk.topic("u")])
    time.sleep(1.1)
    one.says("another assignor", server_assignor="range")
    one.says("no member", member_id="two")
    one.says("a member without an epoch", member_id="two", epoch=1)
    one.says("leaves", epoch=-1)
    one.says("leaves again", epoch=-1)
    talk.ask("described at the end", one.describe(), 1)
    talk.ask("commits to an empty group", one.commit("t", -1, name=""), 9)
    talk.ask("asks at the end", one.fetch("t", 3, name="one"), 9)
    talk.ask("deleted", DeleteGroupsRequest(groups_names=[one.group]), 2)
    talk.ask("deleted again", DeleteGroupsRequest(groups_names=[one.group]), 2)
    one.says("too late", epoch=1)


def static_one(talk: Talk) -> None:
    """A static member that is away and comes back under another id."""
    talk.create("t", partitions=2)
    known(talk, "t")
    one = One(talk, "static", "one", "i")
    one.joins("joins", "t")
    other = One(talk, "static", "two", "i")
    other.joins("the name is taken", "t")
    one.says("not its name", instance="j")
    one.says("away", epoch=-2)
    talk.ask("described while away", one.describe(), 1)
    one.says("is not there", epoch=1)
    other.joins("is back", "t")
    one.says("the one before", epoch=1)
    other.says("is there")
    talk.ask("described", other.describe(), 1)
    one.says("leaves who is not there", epoch=-1)
    other.says("leaves", epoch=-1)


def classic_beside(talk: Talk) -> None:
    """Classic requests to a consumer group, and a heartbeat to a classic one."""
    talk.create("t", partitions=2)
    known(talk, "t")
    one = One(talk, "beside", "one")
    one.joins("joins", "t")
    joins = JoinGroupRequest(
        group_id=one.group,
        session_timeout_ms=60_000,
        rebalance_timeout_ms=60_000,
        member_id="",
        protocol_type="connect",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
    )
    talk.ask("a connector joins", joins, 9)
    joins.group_id = talk.topic("connect")
    joins.member_id = talk.ask("a connector is invited", joins, 9).member_id
    talk.ask("a connector alone", joins, 9)
    beside = One(talk, "connect", "one")
    beside.joins("joins connectors", "t")
    beside.says("goes on with connectors", epoch=2)
    talk.ask("connectors described", beside.describe(), 1)


SCENARIOS = (strangers_to_consumer_groups, one_alone, static_one, classic_beside)
