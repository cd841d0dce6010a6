"""A Kafka Streams application without Java: its heartbeats, its topics, what the broker keeps of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.protocol.streams_group_describe import (
    DescribedGroup,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from barnabas.protocol.streams_group_heartbeat import (
    KeyValue,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient
from tests.waiting import wait

QUICK = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",
}


def topology(**config: str) -> Topology:
    """Words are counted."""
    counts = TopicInfo(
        name="counts",
        partitions=0,
        replication_factor=0,
        topic_configs=[KeyValue(key=key, value=value) for key, value in config.items()],
    )
    part = Subtopology(
        subtopology_id="0",
        source_topics=["words"],
        source_topic_regex=[],
        state_changelog_topics=[counts],
        repartition_sink_topics=[],
        repartition_source_topics=[],
        copartition_groups=[],
    )
    return Topology(epoch=0, subtopologies=[part])


def make_words(client: RawClient) -> None:
    topic = CreatableTopic(
        name="words", num_partitions=2, replication_factor=1, assignments=[], configs=[]
    )
    client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=1000), 4, CreateTopicsResponse)


def beat(client: RawClient, epoch: int, **more: Any) -> StreamsGroupHeartbeatResponse:
    asked = StreamsGroupHeartbeatRequest(
        **{
            "group_id": "app",
            "member_id": "one",
            "member_epoch": epoch,
            "endpoint_information_epoch": 0,
            **more,
        }
    )
    return client.ask(asked, 0, StreamsGroupHeartbeatResponse)


def joins(**config: str) -> Mapping[str, Any]:
    return {
        "rebalance_timeout_ms": 1000,
        "topology": topology(**config),
        "active_tasks": [],
        "standby_tasks": [],
        "warmup_tasks": [],
        "process_id": "p",
    }


def described(client: RawClient) -> DescribedGroup:
    asked = StreamsGroupDescribeRequest(group_ids=["app"], include_authorized_operations=False)
    (group,) = client.ask(asked, 0, StreamsGroupDescribeResponse).groups
    return group


def listed(client: RawClient) -> list[tuple[str, str, str]]:
    groups = client.ask(ListGroupsRequest(), 5, ListGroupsResponse).groups
    return [(one.group_id, one.group_type, one.group_state) for one in groups]


def width_of(client: RawClient, topic: str) -> int:
    asked = [MetadataRequestTopic(name=topic)]
    request = MetadataRequest(topics=asked, allow_auto_topic_creation=False)
    return len(client.ask(request, 9, MetadataResponse).topics[0].partitions)


def test_an_application_finds_its_topics_made_and_its_tasks_again(tmp_path: Path) -> None:
    with EmbeddedBroker(QUICK, data_dir=tmp_path) as broker, RawClient(broker.port) as client:
        make_words(client)
        first = beat(client, 0, **joins(**{"cleanup.policy": "compact"}))
        assert (first.error_code, first.member_epoch, first.active_tasks) == (0, 2, [])
        assert first.status is not None
        assert [one.status_detail for one in first.status] == [
            "Internal topics are missing: counts"
        ]
        wait(lambda: width_of(client, "counts") == 2)  # It is written beside the loop.
        second = beat(client, 2)
        both = [TaskIds(subtopology_id="0", partitions=[0, 1])]
        assert (second.status, second.member_epoch, second.active_tasks) == ([], 3, both)
        before = described(client)
    with EmbeddedBroker(QUICK, data_dir=tmp_path) as broker, RawClient(broker.port) as client:
        assert beat(client, 3).error_code == 0
        assert described(client) == before
        assert listed(client) == [("app", "streams", "Stable")]
        assert beat(client, -1).member_epoch == -1
        gone = client.ask(DeleteGroupsRequest(groups_names=["app"]), 2, DeleteGroupsResponse)
        assert [one.error_code for one in gone.results] == [ErrorCode.NONE]
        assert described(client).error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_topic_that_cannot_be_made_is_reported() -> None:
    with EmbeddedBroker(QUICK) as broker, RawClient(broker.port) as client:
        make_words(client)
        answer = beat(client, 0, **joins(**{"cleanup.policy": "burn"}))
        assert answer.status is not None
        (status,) = answer.status
        assert status.status_detail.startswith(
            "Internal topics are missing: counts; Creation failed: counts ("
        )
        assert width_of(client, "counts") == 0


@pytest.mark.parametrize("leaves", [False, True])
def test_a_name_is_of_one_kind_of_group_while_it_has_members(*, leaves: bool) -> None:
    with EmbeddedBroker(QUICK) as broker, RawClient(broker.port) as client:
        make_words(client)
        beat(client, 0, **joins())
        if leaves:
            beat(client, -1)
        shared = ShareGroupHeartbeatRequest(
            group_id="app", member_id="m", member_epoch=0, subscribed_topic_names=["words"]
        )
        answer = client.ask(shared, 1, ShareGroupHeartbeatResponse)
        assert answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND
        classic = JoinGroupRequest(
            group_id="app",
            session_timeout_ms=6000,
            member_id="",
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        joined = client.ask(classic, 3, JoinGroupResponse)
        code = ErrorCode.NONE if leaves else ErrorCode.INCONSISTENT_GROUP_PROTOCOL
        assert joined.error_code == code
        assert listed(client)[0][:2] == ("app", "classic" if leaves else "streams")
        again = beat(client, 0, **joins())
        assert again.error_code == (ErrorCode.GROUP_ID_NOT_FOUND if leaves else ErrorCode.NONE)
