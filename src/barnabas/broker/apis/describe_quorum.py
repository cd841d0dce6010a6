"""DescribeQuorum (key 55): the leader of the metadata quorum: this node, its only voter (KIP-595).

Does: returns leader, end and endpoints of the only partition; there are no observers. The end counts the
    changes of topics since the start, which cannot be read as records. The epoch is the first.
Refuses: a request for any other partition, or for more, with UNKNOWN_TOPIC_OR_PARTITION for each.
Versions: 1 times: the leader has always just caught up · 2 endpoints, those of the broker; no directory
"""

from collections.abc import Iterable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.log.file_names import CLUSTER_METADATA
from barnabas.protocol.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartition,
    DescribeQuorumResponseTopic,
    Listener,
    Node,
    ReplicaState,
)

_FIRST_EPOCH = 1


def handle(
    broker: Broker, context: RequestContext, request: DescribeQuorumRequest
) -> DescribeQuorumResponse:
    """Describe the quorum, which is this broker."""
    del context
    asked = {
        topic.topic_name: [one.partition_index for one in topic.partitions]
        for topic in request.topics
    }
    if len(request.topics) == 1 and asked == {CLUSTER_METADATA: [0]}:
        return _response([(CLUSTER_METADATA, [_known(broker)])], [_node(broker)])
    unknown = [
        (topic.topic_name, [_unknown(one.partition_index) for one in topic.partitions])
        for topic in request.topics
    ]
    return _response(unknown, [])


def _response(
    topics: Iterable[tuple[str, list[DescribeQuorumResponsePartition]]], nodes: list[Node]
) -> DescribeQuorumResponse:
    return DescribeQuorumResponse(
        error_code=ErrorCode.NONE,
        error_message="",
        topics=[
            DescribeQuorumResponseTopic(topic_name=name, partitions=partitions)
            for name, partitions in topics
        ],
        nodes=nodes,
    )


def _known(broker: Broker) -> DescribeQuorumResponsePartition:
    node_id, now_ms = broker.config.node_id, broker.clock.time_ms()
    end = 1 + broker.topics.changes
    voter = ReplicaState(
        replica_id=node_id,
        log_end_offset=end,
        last_fetch_timestamp=now_ms,
        last_caught_up_timestamp=now_ms,
    )
    return DescribeQuorumResponsePartition(
        partition_index=0,
        error_code=ErrorCode.NONE,
        error_message="",
        leader_id=node_id,
        leader_epoch=_FIRST_EPOCH,
        high_watermark=end,
        current_voters=[voter],
        observers=[],
    )


def _unknown(index: int) -> DescribeQuorumResponsePartition:
    return DescribeQuorumResponsePartition(
        partition_index=index,
        error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        error_message="there is only one partition of metadata, which is asked for alone",
        leader_id=0,
        leader_epoch=0,
        high_watermark=0,
        current_voters=[],
        observers=[],
    )


def _node(broker: Broker) -> Node:
    return Node(
        node_id=broker.config.node_id,
        listeners=[
            Listener(name=name, host=one.host, port=one.port)
            for name, one in broker.advertised.items()
        ],
    )
