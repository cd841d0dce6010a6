"""Controller: turns events into decisions, one after the other; pure.

It writes no node and sends nothing: the caller does. A decision whose write fails is forgotten, and made
again from what ZooKeeper then has.

Source: Kafka's KafkaController; KIP-380 (a broker that was away so shortly that only its epoch shows it).
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from barnabas.cluster.deletion import broker_moved, delete_topic, replicas_deleted, resume
from barnabas.cluster.draft import Draft
from barnabas.cluster.elections import (
    elect_missing,
    elect_preferred,
    elect_unclean,
    leave,
    lose,
    lose_bounced,
)
from barnabas.cluster.events import (
    BrokersChanged,
    ControllerEvent,
    DeletionAsked,
    Elected,
    IsrProposed,
    IsrWritten,
    PartitionEvent,
    PartitionsAdded,
    PreferredElection,
    Reassigned,
    ReplicasAsked,
    ReplicasDeleted,
    ReplicasFailed,
    ShutdownAsked,
    UncleanElection,
)
from barnabas.cluster.image import Broker
from barnabas.cluster.isr_changes import alter_isr, isr_written
from barnabas.cluster.reassignment import finish, reassign_all
from barnabas.cluster.replica_states import ReplicaInput
from barnabas.cluster.view import Decision, View
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition


def step(view: View, event: ControllerEvent) -> Decision:
    """Decide what follows from an event."""
    match event:
        case Elected():
            return _elected(view, event)
        case BrokersChanged():
            return _brokers_changed(view, event.brokers)
        case ShutdownAsked():
            return _shutdown_asked(view, event)
        case ReplicasAsked():
            return _ask_replicas(view, event.node_id)
        case _:
            draft = Draft(view)
            step_on_partitions(draft, event)
            return draft.finish()


def step_on_partitions(draft: Draft, event: PartitionEvent) -> None:
    """Add to a draft what follows from an event."""
    match event:
        case PartitionsAdded():
            _add(draft, event)
        case IsrProposed():
            alter_isr(draft, event)
        case IsrWritten():
            isr_written(draft, event)
        case PreferredElection():
            elect_preferred(draft, event.partitions)
        case UncleanElection():
            elect_unclean(draft, event.partitions)
        case Reassigned():
            reassign_all(draft, event.targets)
        case DeletionAsked():
            draft.error = delete_topic(draft, event.topic)
        case ReplicasDeleted():
            replicas_deleted(draft, event)
        case ReplicasFailed():
            _replicas_failed(draft, event)


def _add(draft: Draft, event: PartitionsAdded) -> None:
    for number, replicas in event.replicas.items():
        partition = TopicPartition(event.topic, number)
        if draft.state(partition) is None:
            draft.add(partition, event.topic_id, replicas)
            elect_missing(draft, partition)


def _replicas_failed(draft: Draft, event: ReplicasFailed) -> None:
    node_id = event.node_id
    for partition in event.partitions:
        state = draft.state(partition)
        if state and node_id in state.replicas and node_id not in state.offline:
            draft.mark_offline(partition, (*state.offline, node_id))
            lose(draft, partition, {node_id})


def _ask_replicas(view: View, node_id: NodeId) -> Decision:
    """Tell a broker once more what it leads and follows: it answers which logs it cannot use."""
    draft = Draft(view)
    for partition, state in view.image.partitions():
        is_served = state.leader_epoch >= 0 and partition.topic not in view.deletions
        if is_served and node_id in state.replicas:
            draft.batch.lead([node_id], partition)
    return draft.finish()


def _elected(view: View, event: Elected) -> Decision:
    """Tell all brokers all, under the new controller epoch, and mend what broke meanwhile."""
    draft = Draft(view)
    draft.batch.introduce(view.image.brokers)
    for partition, state in view.image.partitions():
        gone = [one for one in state.replicas if one not in view.image.brokers]
        if state.leader in gone or set(gone) & set(state.isr):
            lose(draft, partition, gone)
        lose_bounced(draft, partition, event.written.get(partition))
        if partition.topic not in view.deletions and state.leader_epoch >= 0:
            draft.batch.lead(state.replicas, partition)
        _mend(draft, partition)
    draft.batch.show(view.image.brokers, [partition for partition, _ in view.image.partitions()])
    for topic in view.deletions:
        resume(draft, topic)
    return draft.finish()


def _mend(draft: Draft, partition: TopicPartition) -> None:
    """Do what became possible: elect where nobody leads, end a reassignment that waits."""
    elect_missing(draft, partition)
    finish(draft, partition)


def _brokers_changed(view: View, brokers: Mapping[NodeId, Broker]) -> Decision:
    """Brokers went, came, or have other addresses. One with another epoch went, and came again."""
    known = view.image.brokers
    gone = [one for one in known if one not in brokers or brokers[one].epoch != known[one].epoch]
    came = [one for one in brokers if one not in known or one in gone]
    if brokers == known:
        return Decision(view)
    staying = {one: broker for one, broker in brokers.items() if one not in came}
    first = Decision(view) if staying == known else _without(view, gone, staying)
    return _then(first, _with(first.after, came, brokers)) if came else first


def _without(view: View, gone: Collection[NodeId], brokers: Mapping[NodeId, Broker]) -> Decision:
    draft = Draft(replace(view, shutting_down=view.shutting_down - set(gone)), brokers)
    draft.batch.show(brokers)
    for node_id in gone:
        broker_moved(draft, node_id, ReplicaInput.FAILED)
    for partition, state in view.image.partitions():
        if any(one in gone for one in state.replicas):
            lose(draft, partition, gone)
    return draft.finish()


def _with(view: View, came: Collection[NodeId], brokers: Mapping[NodeId, Broker]) -> Decision:
    draft = Draft(view, brokers)
    draft.batch.introduce(brokers)
    draft.batch.show(came, [partition for partition, _ in view.image.partitions()])
    for partition, state in view.image.partitions():
        new = [one for one in state.replicas if one in came]
        if not new or partition.topic in view.deletions:
            continue
        if any(one in state.offline for one in new):
            draft.mark_offline(partition, tuple(one for one in state.offline if one not in new))
        if state.leader_epoch >= 0:
            draft.batch.lead(new, partition)
        # Others' lists of offline replicas are shorter by these.
        draft.batch.show(brokers, [partition])
        _mend(draft, partition)
    for node_id in came:
        broker_moved(draft, node_id, ReplicaInput.RETURNED)
    return draft.finish()


def _then(first: Decision, second: Decision) -> Decision:
    """Both, one after the other: a node that both write is written twice."""
    return Decision(second.after, first.writes + second.writes, first.requests + second.requests)


def _shutdown_asked(view: View, event: ShutdownAsked) -> Decision:
    """Move leaders away from a broker, and its followers out of all ISRs."""
    broker = view.image.brokers.get(event.node_id)
    if broker is None:
        return Decision(view, error=ErrorCode.BROKER_NOT_AVAILABLE)
    if 0 <= event.broker_epoch < broker.epoch:
        return Decision(view, error=ErrorCode.STALE_BROKER_EPOCH)
    draft = Draft(replace(view, shutting_down=view.shutting_down | {event.node_id}))
    return draft.finish(remaining=leave(draft, event.node_id))
