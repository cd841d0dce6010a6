"""Groups that a short request makes large: their memory is asked for before it is taken."""

from barnabas.errors import ErrorCode
from barnabas.protocol.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    Topology,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

PARTITIONS = 200


def joining(group: str, subtopologies: int) -> StreamsGroupHeartbeatRequest:
    """Each subtopology reads the same topic, so that each has as many tasks."""
    parts = [
        Subtopology(
            subtopology_id=str(number), source_topics=["words"], source_topic_regex=[],
            state_changelog_topics=[], repartition_sink_topics=[], repartition_source_topics=[],
            copartition_groups=[],
        )
        for number in range(subtopologies)
    ]  # fmt: skip
    return StreamsGroupHeartbeatRequest(
        group_id=group, member_id="one", member_epoch=0, endpoint_information_epoch=0,
        rebalance_timeout_ms=60_000, topology=Topology(epoch=0, subtopologies=parts),
        active_tasks=[], standby_tasks=[], warmup_tasks=[], process_id="p",
    )  # fmt: skip


def test_a_topology_with_half_a_million_tasks() -> None:
    """20 KB that took 243 MB, and held up all others for 18 s."""
    with EmbeddedBroker() as broker, RawClient(broker.port) as client:
        broker.create_topic("words", partitions=PARTITIONS)

        def code(group: str, tasks: int) -> int:
            request = joining(group, tasks // PARTITIONS)
            return client.ask(request, 0, StreamsGroupHeartbeatResponse).error_code

        assert code("huge", 500_000) == ErrorCode.COORDINATOR_NOT_AVAILABLE
        codes = [code(f"group {number}", 10_000) for number in range(8)]
        # Each is within what one may take, and they have got no tasks yet.
        assert codes[0] == ErrorCode.NONE
        assert codes[-1] == ErrorCode.COORDINATOR_NOT_AVAILABLE
