"""Elections: partitions get another leader, because theirs is gone or on request.

Source: KIP-460 (which election is answered with which error); Kafka's PartitionStateMachine.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from barnabas.cluster.draft import Draft
from barnabas.cluster.image import NO_LEADER, PartitionState
from barnabas.cluster.leader_choice import after_loss, before_shutdown, new_partition, preferred
from barnabas.cluster.requests import ReplicaStop
from barnabas.cluster.view import View
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition


def elect_missing(draft: Draft, partition: TopicPartition, *, unclean: bool = False) -> bool:
    """Elect a leader for a partition without one, the first it ever has or another; whether it has one."""
    state = draft.state(partition)
    if state is None or partition.topic in draft.deletions or not draft.view.lacks_leader(state):
        return False
    live = draft.view.live(state)
    if state.leader_epoch < 0:
        first = new_partition(state.replicas, live)
        if first:
            draft.begin(partition, state, first)
        return first is not None
    unclean = unclean or draft.view.allows_unclean(partition.topic)
    choice = after_loss(state.replicas, state.isr, live, unclean=unclean)
    if choice:
        draft.elect(partition, state, choice)
    return choice is not None


def elect_preferred(draft: Draft, partitions: Iterable[TopicPartition]) -> None:
    """Let the first replica of each lead."""
    for partition in partitions:
        state = _known(draft, partition)
        if state is None:
            continue
        choice = preferred(state.replicas, state.isr, draft.view.live(state))
        if state.leader == state.replicas[0]:
            draft.refuse(partition, ErrorCode.ELECTION_NOT_NEEDED)
        elif choice is None or state.leader_epoch < 0:
            draft.refuse(partition, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)
        else:
            draft.elect(partition, state, choice)


def imbalanced(view: View, percentage: int) -> tuple[TopicPartition, ...]:
    """The partitions whose first replicas should lead again, of brokers that lead too few.

    These are brokers of whose partitions more than `percentage` % are led by others. What moves, is
    deleted, or has no leader is left alone.

    Source: Kafka's KafkaController, checkAndTriggerAutoLeaderRebalance.
    """
    counts: Counter[NodeId] = Counter()
    elsewhere: dict[NodeId, list[tuple[TopicPartition, PartitionState]]] = {}
    for partition, state in view.image.partitions():
        if partition.topic in view.deletions:
            continue
        first = state.replicas[0]
        counts[first] += 1
        if state.leader not in {first, NO_LEADER}:
            elsewhere.setdefault(first, []).append((partition, state))
    return tuple(
        partition
        for first, rows in elsewhere.items()
        if len(rows) * 100 > percentage * counts[first]
        for partition, state in rows
        if not (state.adding or state.removing)
        and preferred(state.replicas, state.isr, view.live(state)) is not None
    )


def elect_unclean(draft: Draft, partitions: Iterable[TopicPartition]) -> None:
    """Let any replica lead, where none does."""
    for partition in partitions:
        state = _known(draft, partition)
        if state is None:
            continue
        if not draft.view.lacks_leader(state):
            draft.refuse(partition, ErrorCode.ELECTION_NOT_NEEDED)
        elif not elect_missing(draft, partition, unclean=True):
            draft.refuse(partition, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)


def lose(draft: Draft, partition: TopicPartition, gone: Collection[NodeId]) -> None:
    """Replicas of a partition are gone: another leads, and they are no longer in sync.

    Where no live replica is in sync, the ISR stays: all in it have what is committed.
    """
    state = draft.state(partition)
    if state is None or state.leader_epoch < 0 or partition.topic in draft.deletions:
        return
    if state.leader in gone:
        if not elect_missing(draft, partition):
            draft.change(partition, replace(state, leader=NO_LEADER), gone)
        return
    isr = tuple(one for one in state.isr if one not in gone)
    if isr and isr != state.isr:
        draft.change(partition, replace(state, isr=isr), gone)
    else:
        draft.batch.show(draft.live_brokers(), [partition])


def lose_bounced(draft: Draft, partition: TopicPartition, written: int | None) -> None:
    """Take brokers out of an ISR that were away since its node was written, as change number `written`.

    They may have come back without what they had: one that has lost its disk would lead with an empty log.
    Where all were away, nobody is known to have more.
    """
    state, brokers = draft.state(partition), draft.view.image.brokers
    if written is None or state is None or partition.topic in draft.deletions:
        return
    isr = tuple(one for one in state.isr if one in brokers and brokers[one].epoch <= written)
    leader = state.leader
    if leader not in isr:
        leader = next((one for one in state.replicas if one in isr), NO_LEADER)
    if isr and leader != NO_LEADER and isr != state.isr:
        draft.change(partition, replace(state, leader=leader, isr=isr))


def leave(draft: Draft, node_id: NodeId) -> tuple[TopicPartition, ...]:
    """Move leaders away from a broker that shuts down, and stop its followers.

    Returns the partitions that it must go on to lead, as nobody else in sync can. Those with one replica
    do not count.
    """
    remaining = []
    for partition, known in draft.view.image.partitions():
        state = draft.state(partition) or known
        if node_id not in state.replicas or len(state.replicas) < 2 or state.leader_epoch < 0:
            continue
        if partition.topic in draft.deletions:
            continue
        if state.leader == node_id:
            live = draft.view.image.live_replicas(state)
            choice = before_shutdown(state.replicas, state.isr, live, draft.view.shutting_down)
            if choice is None:
                remaining.append(partition)
                continue
            draft.elect(partition, state, choice)
        else:
            isr = tuple(one for one in state.isr if one != node_id)
            if isr and isr != state.isr:
                draft.change(partition, replace(state, isr=isr), {node_id})
            draft.stop(node_id, ReplicaStop(partition, deletes=False))
    return tuple(remaining)


def _known(draft: Draft, partition: TopicPartition) -> PartitionState | None:
    state = draft.state(partition)
    if state is None or partition.topic in draft.deletions:
        draft.refuse(partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return None
    return state
