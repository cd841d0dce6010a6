"""Draft: a decision in the making: changed states, nodes to write, requests to send."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from barnabas.cluster.image import (
    NO_LEADER,
    Broker,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.cluster.leader_choice import LeaderChoice
from barnabas.cluster.requests import Batch, ReplicaStop, requests
from barnabas.cluster.view import Decision, Deletion, View
from barnabas.cluster.znodes import (
    deletion_paths,
    encode_state,
    encode_topic,
    state_path,
    topic_path,
)
from barnabas.errors import ErrorCode
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeId, NodeWrite, TopicPartition


class Draft:
    """Changes of a view. What is changed twice is written once, as it is in the end."""

    __slots__ = (
        "_assigned", "_deleted", "_new", "_states", "batch", "deletions", "error", "errors", "view",
    )  # fmt: skip

    def __init__(self, view: View, brokers: Mapping[NodeId, Broker] | None = None) -> None:
        """Nothing changes yet, but that `brokers` are alive now."""
        self.view = view
        if brokers is not None:
            gone: dict[NodeId, Broker | None] = dict.fromkeys(view.image.brokers)
            self.view = replace(view, image=view.image.apply(ImageDelta({**gone, **brokers})))
        self.batch = Batch()
        self.error = ErrorCode.NONE
        """The event as a whole is refused with it."""
        self.errors: dict[TopicPartition, ErrorCode] = {}
        self.deletions: dict[str, Deletion] = dict(view.deletions)
        self._states: dict[TopicPartition, PartitionState] = {}
        self._new: dict[str, bytes] = {}
        self._assigned: set[str] = set()
        self._deleted: list[str] = []

    def state(self, partition: TopicPartition) -> PartitionState | None:
        """The state of a partition, as it is in the draft."""
        return self._states.get(partition) or self.view.image.partition(partition)

    def live_brokers(self) -> Iterable[NodeId]:
        """The brokers that get requests."""
        return self.view.image.brokers

    def add(self, partition: TopicPartition, topic_id: bytes, replicas: tuple[NodeId, ...]) -> None:
        """A partition that has replicas and no leader yet. Its topic's node is there already."""
        self._new[partition.topic] = topic_id
        self._states[partition] = PartitionState(NO_LEADER, -1, (), replicas, -1)

    def begin(self, partition: TopicPartition, state: PartitionState, choice: LeaderChoice) -> None:
        """A partition gets its first leader."""
        first = replace(
            state,
            leader=choice.leader,
            isr=choice.isr,
            leader_epoch=0,
            partition_epoch=0,
            controller_epoch=self.view.image.controller_epoch,
        )
        self._states[partition] = first
        self.batch.lead(choice.isr, partition, is_new=True)
        self.batch.show(self.live_brokers(), [partition])

    def elect(self, partition: TopicPartition, state: PartitionState, choice: LeaderChoice) -> None:
        """A partition gets another leader."""
        recovering = state.recovering or not choice.is_clean
        after = replace(state, leader=choice.leader, isr=choice.isr, recovering=recovering)
        self.change(partition, after)

    def change(
        self, partition: TopicPartition, after: PartitionState, stopping: Collection[NodeId] = ()
    ) -> None:
        """A partition changes, in a new leader epoch; all replicas but those that stop learn that."""
        before = self.state(partition)
        assert before is not None
        self._put(partition, replace(after, leader_epoch=before.leader_epoch + 1), before)
        informed = [one for one in after.replicas if one not in stopping]
        added = [one for one in informed if one not in before.replicas]
        self.batch.lead(added, partition, is_new=True)
        self.batch.lead(informed, partition)

    def change_isr(self, partition: TopicPartition, after: PartitionState) -> None:
        """The leader of a partition changes the ISR, in its epoch; it has the answer of its own."""
        before = self.state(partition)
        assert before is not None
        self._put(partition, after, before)

    def _put(
        self, partition: TopicPartition, after: PartitionState, before: PartitionState
    ) -> None:
        known = self.view.image.partition(partition)
        once = known.partition_epoch + 1 if known else before.partition_epoch + 1
        self._states[partition] = replace(
            after, partition_epoch=once, controller_epoch=self.view.image.controller_epoch
        )
        if (after.replicas, after.adding, after.removing) != (
            before.replicas,
            before.adding,
            before.removing,
        ):
            self._assigned.add(partition.topic)
        self.batch.show(self.live_brokers(), [partition])

    def mark_offline(self, partition: TopicPartition, offline: tuple[NodeId, ...]) -> None:
        """Replicas whose log directory fails or works again: no node says so, UpdateMetadata does."""
        state = self.state(partition)
        assert state is not None
        self._states[partition] = replace(state, offline=offline)
        self.batch.show(self.live_brokers(), [partition])

    def stop(self, node_id: NodeId, stop: ReplicaStop) -> None:
        """A replica stops."""
        self.batch.stop(node_id, stop)

    def forget(self, topic: str) -> None:
        """A topic whose replicas are all deleted."""
        self._deleted.append(topic)
        del self.deletions[topic]

    def refuse(self, partition: TopicPartition, error: ErrorCode) -> None:
        """What was asked of a partition cannot be done."""
        self.errors[partition] = error

    def finish(self, remaining: tuple[TopicPartition, ...] = ()) -> Decision:
        """The decision: all that has changed."""
        if self.error:
            return Decision(self.view, error=self.error)
        before = self.view.image
        topics: dict[str, dict[int, PartitionState | None]] = {}
        for partition, state in self._states.items():
            topics.setdefault(partition.topic, {})[partition.partition] = state
        delta: dict[str, TopicDelta | None] = {
            name: TopicDelta(self._new.get(name, b"") or _id(before, name), rows)
            for name, rows in topics.items()
        }
        delta.update(dict.fromkeys(self._deleted))
        image = before.apply(ImageDelta(topics=delta))
        after = replace(self.view, image=image, deletions=self.deletions)
        sent = requests(self.batch, image, self.view.listener, self.deletions)
        return Decision(after, self._writes(image), sent, self.errors, remaining=remaining)

    def _writes(self, image: ClusterImage) -> tuple[NodeWrite, ...]:
        writes = []
        for partition, state in self._states.items():
            known = self.view.image.partition(partition)
            version = known.partition_epoch if known and known.leader_epoch >= 0 else MUST_BE_NEW
            is_written = known is not None and known.partition_epoch == state.partition_epoch
            if state.leader_epoch >= 0 and not is_written and partition.topic in image.topics:
                writes.append(NodeWrite(state_path(partition), encode_state(state), version))
        # Last: a controller that finds only a part of it finds the reassignment under way, and continues it.
        writes += [
            NodeWrite(topic_path(name), encode_topic(image.topics[name]), ANY_VERSION)
            for name in sorted(self._assigned)
            if name in image.topics
        ]
        for name in self._deleted:
            writes += [NodeWrite(path, None, ANY_VERSION) for path in deletion_paths(name)]
        return tuple(writes)


def _id(image: ClusterImage, name: str) -> bytes:
    return image.topics[name].topic_id
