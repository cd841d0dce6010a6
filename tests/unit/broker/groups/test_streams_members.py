"""Streams groups (KIP-1071) in a cluster: topics by the controller, coordinators that move."""

from typing import Any

from barnabas import Admin, NewTopic
from barnabas.errors import ErrorCode
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)
from barnabas.testing import EmbeddedCluster
from tests.unit.broker.raw_client import RawClient

QUICK = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
}
_MOVED = {
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
}
BOTH = [TaskIds(subtopology_id="0", partitions=[0, 1])]


def topology() -> Topology:
    """Words are counted."""
    counts = TopicInfo(name="counts", partitions=0, replication_factor=0, topic_configs=[])
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


def coordinator(cluster: EmbeddedCluster) -> int:
    with RawClient(cluster.port(cluster.running[0])) as client:
        asked = FindCoordinatorRequest(key_type=0, coordinator_keys=["app"])
        while True:
            (found,) = client.ask(asked, 4, FindCoordinatorResponse).coordinators
            if not found.error_code and found.node_id in cluster.running:
                return found.node_id


def beat(cluster: EmbeddedCluster, epoch: int, **more: Any) -> StreamsGroupHeartbeatResponse:
    """A heartbeat to the coordinator, once it has loaded the group."""
    asked = StreamsGroupHeartbeatRequest(
        group_id="app", member_id="one", member_epoch=epoch, endpoint_information_epoch=0, **more
    )
    while True:
        with RawClient(cluster.port(coordinator(cluster))) as client:
            response = client.ask(asked, 0, StreamsGroupHeartbeatResponse)
        if response.error_code not in _MOVED:
            return response


def test_the_controller_makes_its_topics_and_another_coordinator_knows_its_tasks() -> None:
    with EmbeddedCluster(3, QUICK) as cluster:
        with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("words", partitions=2, replication_factor=3)])
        response = beat(
            cluster,
            0,
            rebalance_timeout_ms=60_000,
            topology=topology(),
            active_tasks=[],
            standby_tasks=[],
            warmup_tasks=[],
            process_id="p",
        )
        assert response.error_code == ErrorCode.NONE
        tasks: list[TaskIds] = []
        while tasks != BOTH:
            response = beat(cluster, response.member_epoch)
            assert response.error_code == ErrorCode.NONE
            tasks = response.active_tasks or tasks
        assert len(cluster.in_sync("counts", 1)) == 3

        own = {"active_tasks": BOTH, "standby_tasks": [], "warmup_tasks": []}
        epoch = beat(cluster, response.member_epoch, **own).member_epoch
        for _ in range(2):
            before = coordinator(cluster)
            cluster.kill(before)
            response = beat(cluster, epoch, **own)
            assert (response.error_code, response.member_epoch) == (ErrorCode.NONE, epoch)
            # All of it stays: nothing is given to be done anew.
            assert response.active_tasks in (None, BOTH)
            cluster.start(before)
            for index in range(3):
                while cluster.in_sync("__consumer_offsets", index) != [1, 2, 3]:
                    cluster.leader("__consumer_offsets", index)
