"""Scripts about streams groups (KIP-1071): the response to each heartbeat, and which members are refused."""

import time
from collections.abc import Sequence
from typing import Any

from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.streams_group_describe import StreamsGroupDescribeRequest
from barnabas.protocol.streams_group_heartbeat import (
    CopartitionGroup,
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
    Topology,
)
from tests.interop.differential.group_apis.consumer_groups import One as Consumer
from tests.interop.differential.group_apis.consumer_groups import configure
from tests.interop.differential.group_apis.groups import NOT_READY
from tests.interop.differential.talk import Talk

NEVER = 10_000_000


def internal(name: str, partitions: int = 0, **config: str) -> TopicInfo:
    configs = [KeyValue(key=key.replace("_", "."), value=value) for key, value in config.items()]
    return TopicInfo(name=name, partitions=partitions, replication_factor=0, topic_configs=configs)


def part(
    name: str,
    *sources: str,
    reads: Sequence[TopicInfo] = (),
    writes: Sequence[str] = (),
    keeps: Sequence[TopicInfo] = (),
    **more: Any,
) -> Subtopology:
    return Subtopology(
        subtopology_id=name,
        source_topics=list(sources),
        source_topic_regex=more.get("regex", []),
        state_changelog_topics=list(keeps),
        repartition_sink_topics=list(writes),
        repartition_source_topics=list(reads),
        copartition_groups=more.get("together", []),
    )


class Instance:
    """One member of one streams group, and its requests. It follows each response at once."""

    def __init__(self, talk: Talk, group: str, name: str, **properties: str) -> None:
        self.talk, self.group, self.name = talk, talk.topic(group), name
        self.epoch = 0
        self.does: dict[str, list[TaskIds]] = {}
        found = FindCoordinatorRequest(key=self.group, key_type=0)
        talk.wait(found, 3, lambda response: not response.error_code)
        talk.wait(self.beat(epoch=NEVER), 0, lambda response: response.error_code not in NOT_READY)
        self.set(**{"assignment.interval.ms": "0", "initial.rebalance.delay.ms": "0"} | properties)

    def set(self, **properties: str) -> None:
        """Give the group properties, and wait until they count."""
        named = {f"streams.{name}": value for name, value in properties.items()}
        configure(self.talk, self.group, **named)

    def beat(self, *, epoch: int | None = None, **more: Any) -> StreamsGroupHeartbeatRequest:
        response = {"group_id": self.group, "member_id": self.name, "endpoint_information_epoch": 0}
        return StreamsGroupHeartbeatRequest(
            **{**response, **more, "member_epoch": self.epoch if epoch is None else epoch}
        )

    def says(self, label: str, **more: Any) -> Any:
        """Say something, and remember what one is to do from now on."""
        response = self.talk.ask(label, self.beat(**more), 0)
        if not response.error_code:
            self.epoch = response.member_epoch
            if response.active_tasks is not None:
                self.does = {
                    "active_tasks": response.active_tasks,
                    "standby_tasks": response.standby_tasks,
                    "warmup_tasks": response.warmup_tasks,
                }
        return response

    def joins(self, label: str, *parts: Subtopology, **more: Any) -> Any:
        """Say everything."""
        topology_epoch = more.pop("topology_epoch", 0)
        response: dict[str, Any] = {
            "epoch": 0,
            "rebalance_timeout_ms": 60_000,
            "topology": Topology(epoch=topology_epoch, subtopologies=list(parts)),
            "active_tasks": [],
            "standby_tasks": [],
            "warmup_tasks": [],
            "process_id": f"process-{self.name}",
            "client_tags": [],
        }
        return self.says(label, **{**response, **more})

    def describe(self) -> StreamsGroupDescribeRequest:
        return StreamsGroupDescribeRequest(
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


def tasks(**partitions: Sequence[int]) -> list[TaskIds]:
    return [
        TaskIds(subtopology_id=name[1:], partitions=list(each)) for name, each in partitions.items()
    ]


def strangers_to_streams_groups(talk: Talk) -> None:
    """Requests that are always refused."""
    talk.create("t")
    reads = part("0", talk.topic("t"))
    one = Instance(talk, "none", "one")
    one.says("goes on in no group", epoch=5)
    one.says("leaves no group", epoch=-1)
    one.says("away from no group", epoch=-2)
    one.says("below all", epoch=-3)
    for what in ("group_id", "member_id", "rack_id", "instance_id"):
        one.joins(f"no {what}", reads, **{what: ""})
        one.joins(f"blank {what}", reads, **{what: " "})
    one.joins("static", reads, instance_id="i")
    one.joins("no timeout", reads, rebalance_timeout_ms=-1)
    one.joins("no topology", topology=None)
    for what in ("active_tasks", "standby_tasks", "warmup_tasks"):
        one.joins(f"no {what}", reads, **{what: None})
        one.joins(f"some {what}", reads, **{what: tasks(_0=[0])})
    lag = [TaskOffset(subtopology_id="0", partition=0, offset=3)]
    one.joins("offsets", reads, task_offsets=lag)
    one.joins("end offsets", reads, task_end_offsets=lag)
    one.joins("by expression", part("0", regex=["t.*"]))
    one.joins("a changelog with a width", part("0", talk.topic("t"), keeps=[internal("s", 3)]))
    one.joins("nobody writes it", part("0", talk.topic("t"), reads=[internal("r")]))
    one.joins("no input", part("0", keeps=[internal("s")]))
    talk.ask("described", one.describe(), 0)
    nameless = StreamsGroupDescribeRequest(group_ids=[""], include_authorized_operations=False)
    talk.ask("no group described", nameless, 0)


def one_application(talk: Talk) -> None:
    """A member that joins, lives, is fenced and leaves."""
    for name in ("t", "between", "store"):
        talk.create(name, partitions=2)
    between, store = internal(talk.topic("between")), internal(talk.topic("store"))
    parts = [
        part("0", talk.topic("t"), writes=[between.name]),
        part("1", reads=[between], keeps=[store]),
    ]
    one = Instance(talk, "app", "one")
    one.joins("joins", *parts, rack_id="r", client_tags=[KeyValue(key="zone", value="z")])
    one.says("is there")
    one.says("tells its tasks", **one.does)
    # Kafka tells how wide internal topics are once anything was written after it knew.
    talk.ask("commits first", one.commit("t", one.epoch), 9)
    talk.ask("described", one.describe(), 0)
    talk.ask("classic described", DescribeGroupsRequest(groups=[one.group]), 6)
    talk.ask("listed", ListGroupsRequest(states_filter=["stable"], types_filter=["streams"]), 5)
    listed = talk.answers["listed"]
    listed["groups"] = [each for each in listed["groups"] if each["group_id"] == one.group]
    one.says("a topology too late", topology=Topology(epoch=0, subtopologies=parts))
    one.says("some tasks", active_tasks=[])
    one.says("tasks of nowhere", active_tasks=tasks(_7=[0]), standby_tasks=[], warmup_tasks=[])
    one.says("a task too much", active_tasks=tasks(_0=[2]), standby_tasks=[], warmup_tasks=[])
    one.says("ahead", epoch=one.epoch + 1)
    one.says("behind", epoch=1)
    one.says("the one before, with tasks", epoch=one.epoch - 2, **one.does)
    _commit(one)
    one.says("another rack", rack_id="s")
    one.joins("joins again", *parts)
    one.joins("joins with more", *parts, part("2", talk.topic("t")))
    one.joins("joins with a newer one", *parts, topology_epoch=1)
    one.says("no member", member_id="two")
    _end(one)


def _commit(one: Instance) -> None:
    talk = one.talk
    talk.ask("commits", one.commit("t", one.epoch), 9)
    talk.ask("commits as of old", one.commit("t", one.epoch), 8)
    talk.ask("commits ahead", one.commit("t", one.epoch + 1), 9)
    talk.ask("commits behind", one.commit("t", one.epoch - 1), 9)
    talk.ask("commits what is no input", one.commit("store", one.epoch - 1), 9)
    talk.ask("commits for another", one.commit("t", one.epoch, name="two"), 9)
    talk.ask("commits from outside", one.commit("t", -1, name=""), 9)
    talk.ask("deleted too early", DeleteGroupsRequest(groups_names=[one.group]), 2)


def _end(one: Instance) -> None:
    talk = one.talk
    one.says("leaves", epoch=-1)
    one.says("leaves again", epoch=-1)
    talk.ask("described at the end", one.describe(), 0)
    talk.ask("commits to an empty group", one.commit("t", -1, name=""), 9)
    one.joins("another topology for nobody", part("0", talk.topic("t")))
    consumer = Consumer(talk, "app", "one")
    consumer.joins("a consumer joins", "t")
    talk.ask("deleted", DeleteGroupsRequest(groups_names=[one.group]), 2)
    one.says("too late", epoch=1)


def two_instances(talk: Talk) -> None:
    """Tasks that go from one to the other and back, with copies."""
    talk.create("t", partitions=2)
    talk.create("store", partitions=2)
    parts = [part("0", talk.topic("t"), keeps=[internal(talk.topic("store"))])]
    one = Instance(talk, "two", "one")
    two = Instance(talk, "two", "two")
    here = {"user_endpoint": Endpoint(host="h", port=7)}
    one.joins("joins", *parts, topology_epoch=3)
    one.says("is there")
    two.joins("joins too", *parts, topology_epoch=2, **here)
    one.says("hears of it")
    one.says("has it still")
    two.says("waits")
    one.says("gives back", **one.does)
    talk.ask("described between", one.describe(), 0)
    two.says("gets it", endpoint_information_epoch=-1)
    two.says("has it", **two.does)
    talk.ask("described", one.describe(), 0)
    one.set(**{"num.standby.replicas": "1"})
    one.says("is to keep a copy")
    two.says("is to keep one too")
    one.says("keeps it", **one.does)
    two.says("keeps it too", **two.does)
    two.says("who is asked", endpoint_information_epoch=-1)
    talk.ask("described with copies", one.describe(), 0)
    one.says("goes and ends all", epoch=-1, shutdown_application=True)
    two.says("is to end")
    two.says("has all", **two.does)
    talk.ask("described alone", two.describe(), 0)
    two.says("ends", epoch=-1)
    two.joins("begins again", *parts, topology_epoch=3)


def topics_of_applications(talk: Talk) -> None:
    """Topics that are missing, made, or of the wrong width."""
    one = Instance(talk, "waits", "one", **{"initial.rebalance.delay.ms": "300"})
    topics = [talk.topic(name) for name in "abcd"]
    one.joins("nothing is there", part("0", *topics))
    talk.ask("described without topics", one.describe(), 0)
    time.sleep(0.5)
    one.says("still nothing")
    one.says("leaves", epoch=-1)
    talk.create("t", partitions=3)
    two = Instance(talk, "makes", "two")
    store = internal(talk.topic("made"), cleanup_policy="compact")
    two.joins("a topic is missing", part("0", talk.topic("t"), keeps=[store]))
    talk.settled("made", 3)
    talk.wait(two.beat(), 0, lambda response: not response.status)
    _wide(talk)
    talk.create("u", partitions=2)
    three = Instance(talk, "joins", "three")
    together = CopartitionGroup(
        source_topics=[0, 1], source_topic_regex=[], repartition_source_topics=[]
    )
    joined = part("0", talk.topic("t"), talk.topic("u"), together=[together])
    three.joins("of two widths", joined)
    four = Instance(talk, "wrong", "four")
    four.joins("of another width", part("0", talk.topic("u"), keeps=[internal(talk.topic("made"))]))
    for each in (three, four):
        talk.ask(f"{each.name} described", each.describe(), 0)


def _wide(talk: Talk) -> None:
    """More partitions than are made at once."""
    wide = internal(talk.topic("wide"), 300)
    parts = [part("0", talk.topic("t"), writes=[wide.name]), part("1", reads=[wide])]
    five = Instance(talk, "wide", "five")
    five.joins("a wide topic is missing", *parts)
    talk.settled("wide", 300)
    talk.wait(five.beat(), 0, lambda response: not response.status)
    five.says("all of it is there")


SCENARIOS = (strangers_to_streams_groups, one_application, two_instances)
LONG = (topics_of_applications,)
