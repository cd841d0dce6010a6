"""Deletion: all replicas of a topic are deleted before its nodes are.

Replicas on brokers that are down are deleted when these come back; so long the topic's name is taken.

Source: Kafka's TopicDeletionManager.
"""

from barnabas.cluster.draft import Draft
from barnabas.cluster.events import ReplicasDeleted
from barnabas.cluster.replica_states import TRANSITIONS, ReplicaInput, ReplicaPhase
from barnabas.cluster.requests import ReplicaStop
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition


def delete_topic(draft: Draft, topic: str) -> ErrorCode:
    """Begin to delete a topic; once is enough."""
    known = draft.view.image.topics.get(topic)
    if known is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if topic not in draft.deletions:
        draft.deletions[topic] = {
            (number, node_id): ReplicaPhase.OFFLINE
            for number, state in known.partitions.items()
            for node_id in state.replicas
        }
        partitions = [TopicPartition(topic, number) for number in known.partitions]
        draft.batch.show(draft.live_brokers(), partitions)
        resume(draft, topic)
    return ErrorCode.NONE


def resume(draft: Draft, topic: str) -> None:
    """Ask brokers that are alive to delete their replicas, and forget the topic when all are gone."""
    rows = dict(draft.deletions[topic])
    for (number, node_id), phase in rows.items():
        if phase is not ReplicaPhase.OFFLINE:
            continue
        partition = TopicPartition(topic, number)
        if node_id in draft.view.image.brokers:
            rows[number, node_id] = TRANSITIONS[phase][ReplicaInput.REQUESTED]
            draft.stop(node_id, ReplicaStop(partition, deletes=True, with_topic=True))
        else:
            rows[number, node_id] = TRANSITIONS[phase][ReplicaInput.FAILED]
    draft.deletions[topic] = rows
    if all(phase is ReplicaPhase.DELETION_SUCCESSFUL for phase in rows.values()):
        draft.forget(topic)


def replicas_deleted(draft: Draft, event: ReplicasDeleted) -> None:
    """A broker's answer. That of a replica which is not deleted with its topic changes nothing."""
    numbers: dict[str, dict[int, ReplicaInput]] = {}
    for (topic, number), error in event.errors.items():
        by = ReplicaInput.FAILED if error else ReplicaInput.DELETED
        numbers.setdefault(topic, {})[number] = by
    for topic, inputs in numbers.items():
        if topic in draft.deletions:
            _move(draft, topic, event.node_id, inputs)
            resume(draft, topic)


def broker_moved(draft: Draft, node_id: NodeId, by: ReplicaInput) -> None:
    """A broker is gone (FAILED) or back (RETURNED), with replicas that are being deleted."""
    for topic in list(draft.deletions):
        rows = draft.deletions[topic]
        numbers = [number for number, one in rows if one == node_id]
        if numbers:
            _move(draft, topic, node_id, dict.fromkeys(numbers, by))
            resume(draft, topic)


def _move(draft: Draft, topic: str, node_id: NodeId, inputs: dict[int, ReplicaInput]) -> None:
    """Move replicas of a topic on one broker. What an answer is too late for stays as it is."""
    rows = dict(draft.deletions[topic])
    for number, by in inputs.items():
        phase = rows.get((number, node_id))
        if phase is not None:
            rows[number, node_id] = TRANSITIONS[phase].get(by, phase)
    draft.deletions[topic] = rows
