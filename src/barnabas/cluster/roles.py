"""Roles: what an image change means for a broker's replicas."""

from dataclasses import dataclass

from barnabas.cluster.image import ClusterImage, PartitionState
from barnabas.types import NodeId, TopicPartition


@dataclass(frozen=True, slots=True)
class RoleChanges:
    """The partitions of one broker whose role begins again, changes in place, or ends."""

    lead: tuple[tuple[TopicPartition, PartitionState], ...] = ()
    """It leads them in a new leader epoch."""
    follow: tuple[tuple[TopicPartition, PartitionState], ...] = ()
    """It follows their leader, or waits for one (NO_LEADER), in a new leader epoch."""
    update: tuple[tuple[TopicPartition, PartitionState], ...] = ()
    """It goes on; ISR or replicas are others."""
    leave: tuple[TopicPartition, ...] = ()
    """It is no replica any more. If it leads or follows the partition as well, its topic was made again."""


def role_changes(before: ClusterImage, after: ClusterImage, node_id: NodeId) -> RoleChanges:
    """Compare two images for the broker `node_id`. What they share is not looked at."""
    lead: list[tuple[TopicPartition, PartitionState]] = []
    follow: list[tuple[TopicPartition, PartitionState]] = []
    update: list[tuple[TopicPartition, PartitionState]] = []
    leave: list[TopicPartition] = []
    for name in dict.fromkeys((*before.topics, *after.topics)):
        old, new = before.topics.get(name), after.topics.get(name)
        if old is new:
            continue
        was = old.partitions if old else {}
        now = new.partitions if new else {}
        is_other = bool(old and new and old.is_other(new.topic_id))
        numbers = was.keys() | now.keys()
        for number in sorted(
            one for one in numbers if is_other or was.get(one) is not now.get(one)
        ):
            partition = TopicPartition(name, number)
            known, state = was.get(number), now.get(number)
            if known is not None and (is_other or node_id not in known.replicas):
                if node_id in known.replicas:
                    leave.append(partition)  # The replica of a topic that was made again.
                known = None
            if state is None or node_id not in state.replicas:
                if known is not None:
                    leave.append(partition)
            elif known is None or state.leader_epoch != known.leader_epoch:
                (lead if state.leader == node_id else follow).append((partition, state))
            elif state is not known and state != known:
                update.append((partition, state))
    return RoleChanges(tuple(lead), tuple(follow), tuple(update), tuple(leave))
