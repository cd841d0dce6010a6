"""DescribedPartition: the leader and replicas of a partition."""

from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.broker import Broker
from barnabas.cluster.image import NO_LEADER
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember


class DescribedPartition(NamedTuple):
    """One partition. Without a leader `leader` is -1, and where nobody knows the epoch it is, too."""

    number: int
    error: ErrorCode
    leader: int
    epoch: int
    replicas: list[int]
    in_sync: list[int]
    offline: list[int]


def view(broker: Broker, topic: str, index: int) -> DescribedPartition:
    """A partition as it is now; one whose log cannot be used has no leader."""
    if broker.member is not None:
        return _in_cluster(broker.member, topic, index)
    node_id = broker.config.node_id
    partition = broker.replicas.find(topic, index)
    if partition is None or partition.log.failure is not None:
        error = ErrorCode.LEADER_NOT_AVAILABLE
        return DescribedPartition(index, error, -1, -1, [node_id], [], [node_id])
    epoch = partition.leader_epoch
    return DescribedPartition(index, ErrorCode.NONE, node_id, epoch, [node_id], [node_id], [])


def _in_cluster(member: "ClusterMember", topic: str, index: int) -> DescribedPartition:
    """What the controller has decided; a leader that is not alive counts as none."""
    image = member.image
    state = image.partition(TopicPartition(topic, index))
    if state is None:
        return DescribedPartition(index, ErrorCode.LEADER_NOT_AVAILABLE, -1, -1, [], [], [])
    alive = image.live_replicas(state)
    offline: list[int] = [one for one in state.replicas if one not in alive]
    leads = state.leader in image.brokers
    return DescribedPartition(
        index,
        ErrorCode.NONE if leads else ErrorCode.LEADER_NOT_AVAILABLE,
        state.leader if leads else NO_LEADER,
        state.leader_epoch,
        [*state.replicas],
        [*state.isr],
        offline,
    )
