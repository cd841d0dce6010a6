from barnabas.broker.apis.describe_quorum import handle
from barnabas.broker.broker import Broker
from barnabas.protocol.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartition,
    DescribeQuorumRequestTopic,
    DescribeQuorumResponsePartition,
)
from tests.unit.broker.in_memory import a_broker, asked


def partition(broker: Broker, topic: str, *indexes: int) -> list[DescribeQuorumResponsePartition]:
    request = DescribeQuorumRequest(
        topics=[
            DescribeQuorumRequestTopic(
                topic_name=topic,
                partitions=[DescribeQuorumRequestPartition(partition_index=one) for one in indexes],
            )
        ]
    )
    (reported,) = handle(broker, asked(2), request).topics
    assert reported.topic_name == topic
    return reported.partitions


def test_one_node_leads_itself_alone_and_moves_on_with_each_change() -> None:
    broker = a_broker()
    (before,) = partition(broker, "__cluster_metadata", 0)
    assert (before.error_code, before.leader_id, before.leader_epoch) == (0, 1, 1)
    assert before.observers == []
    (voter,) = before.current_voters
    assert (voter.replica_id, voter.log_end_offset) == (1, before.high_watermark)
    assert voter.last_fetch_timestamp == voter.last_caught_up_timestamp == broker.clock.time_ms()
    assert before.high_watermark > 0
    broker.topics.create("dogs", {0: [1]}, {})
    (after,) = partition(broker, "__cluster_metadata", 0)
    assert after.high_watermark > before.high_watermark


def test_there_is_one_partition_of_metadata() -> None:
    broker = a_broker()
    for topic, indexes in {"__cluster_metadata": (0, 1), "dogs": (0,)}.items():
        reported = partition(broker, topic, *indexes)
        assert [(one.partition_index, one.error_code) for one in reported] == [
            (i, 3) for i in indexes
        ]
        assert not any(one.current_voters for one in reported)


def test_it_is_reached_where_the_broker_is() -> None:
    topic = DescribeQuorumRequestTopic(
        topic_name="__cluster_metadata",
        partitions=[DescribeQuorumRequestPartition(partition_index=0)],
    )
    (node,) = handle(a_broker(), asked(2), DescribeQuorumRequest(topics=[topic])).nodes
    assert node.node_id == 1
    assert [(one.name, one.host, one.port) for one in node.listeners] == [
        ("PLAINTEXT", "here", 9092)
    ]
