"""Reassignment: a partition moves to other replicas, never with fewer than before.

First it has the old and the new replicas. When all the new ones are in sync, one of them leads, and the
others are stopped and deleted.

Source: KIP-455; Kafka's KafkaController.onPartitionReassignment and ReplicaAssignment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from barnabas.cluster.draft import Draft
from barnabas.cluster.image import PartitionState
from barnabas.cluster.leader_choice import reassigned
from barnabas.cluster.requests import ReplicaStop
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition


def target(state: PartitionState) -> tuple[NodeId, ...]:
    """The replicas that a partition has when its reassignment is over."""
    return _without(state.replicas, state.removing)


def origin(state: PartitionState) -> tuple[NodeId, ...]:
    """The replicas that it had before, and has again when the reassignment is cancelled."""
    return _without(state.replicas, state.adding)


def reassign_all(draft: Draft, targets: Mapping[TopicPartition, tuple[NodeId, ...] | None]) -> None:
    """Begin, replace or cancel (None) the reassignment of each partition."""
    for partition, wanted in targets.items():
        error = reassign(draft, partition, wanted)
        if error:
            draft.refuse(partition, error)


def reassign(
    draft: Draft, partition: TopicPartition, wanted: tuple[NodeId, ...] | None
) -> ErrorCode:
    """Begin, replace or cancel (None) the reassignment of a partition."""
    state = draft.state(partition)
    if state is None or partition.topic in draft.deletions or state.leader_epoch < 0:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if wanted is None:
        if not is_under_way(state):
            return ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
        wanted = origin(state)
        if not set(wanted) & set(state.isr) & set(draft.view.live(state)):
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT  # Nobody of the old ones could lead.
    before = origin(state)
    live = draft.view.image.brokers
    strangers = [one for one in wanted if one not in live and one not in before]
    if not wanted or strangers or len(set(wanted)) < len(wanted) or min(wanted) < 0:
        return ErrorCode.INVALID_REPLICA_ASSIGNMENT
    # Replicas that an earlier target added, and this one does not want, go at once.
    everybody = (*wanted, *_without(before, wanted))
    dropped = _without(state.replicas, everybody)
    after = replace(
        state,
        replicas=everybody,
        adding=_without(wanted, before),
        removing=_without(before, wanted),
        isr=_without(state.isr, dropped) or state.isr,
    )
    if after.leader in dropped or not set(after.isr) & set(everybody):
        choice = reassigned(everybody, after.isr, draft.view.live(after))
        if choice is None:
            return ErrorCode.INVALID_REPLICA_ASSIGNMENT
        after = replace(after, leader=choice.leader, isr=choice.isr)
    if after != state:
        draft.change(partition, after)
        _delete(draft, partition, dropped)
    finish(draft, partition)
    return ErrorCode.NONE


def is_under_way(state: PartitionState) -> bool:
    """Whether the partition is being moved."""
    return bool(state.adding or state.removing)


def finish(draft: Draft, partition: TopicPartition) -> None:
    """End the reassignment of a partition, if all its new replicas are in sync."""
    state = draft.state(partition)
    if state is None or not is_under_way(state) or partition.topic in draft.deletions:
        return
    wanted = target(state)
    if not set(wanted) <= set(state.isr):
        return
    choice = reassigned(wanted, state.isr, draft.view.live(state))
    leader = state.leader
    if leader not in wanted or draft.view.lacks_leader(state):
        if choice is None:
            return
        leader = choice.leader
    after = replace(
        state,
        leader=leader,
        isr=tuple(one for one in state.isr if one in wanted),
        replicas=wanted,
        adding=(),
        removing=(),
    )
    draft.change(partition, after)
    _delete(draft, partition, state.removing)


def _delete(draft: Draft, partition: TopicPartition, nodes: Sequence[NodeId]) -> None:
    for node_id in nodes:
        draft.stop(node_id, ReplicaStop(partition, deletes=True))


def _without(nodes: Sequence[NodeId], others: Sequence[NodeId]) -> tuple[NodeId, ...]:
    return tuple(one for one in nodes if one not in others)
