"""The partition leader in responses to members of share groups (KIP-932)."""

from barnabas.broker.broker import Broker
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

_NO_LEADER = 0, 0
"""Source: Kafka 4.3, where nobody has to know."""
_UNKNOWN = -1, -1


def current_leader(broker: Broker, place: TopicIdPartition, code: ErrorCode) -> tuple[int, int]:
    """Leader and its epoch, where the answer is that this broker does not lead."""
    if code is not ErrorCode.NOT_LEADER_OR_FOLLOWER or broker.member is None:
        return _NO_LEADER
    topic = broker.topics.by_id(place.topic_id)
    if topic is None:
        return _UNKNOWN
    state = broker.member.image.partition(TopicPartition(topic.name, place.partition))
    return _UNKNOWN if state is None else (state.leader, state.leader_epoch)
