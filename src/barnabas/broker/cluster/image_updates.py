"""ImageUpdates: applies the controller's requests to the image of the cluster and to this broker's replicas.

A request changes the image; the difference between the images gives replicas their next roles. A large
request is applied in parts, and each part in steps.
"""

import logging
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from barnabas.broker.cluster.failed_logs import FailedLogs
from barnabas.broker.cluster.first_metadata import FirstMetadata
from barnabas.broker.cluster.member_topics import Config, MemberTopics
from barnabas.broker.cluster.replica_roles import ReplicaRoles
from barnabas.broker.purgatory.stepping import Steps
from barnabas.cluster.deltas import Outcome, gone, leader_and_isr, stop_replica, update_metadata
from barnabas.cluster.image import ClusterImage, ImageDelta, PartitionState, TopicDelta
from barnabas.cluster.request_parts import new_replicas, split_request, stop_parts
from barnabas.cluster.roles import role_changes
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_Part = LeaderAndIsrRequest | UpdateMetadataRequest
Errors = Mapping[TopicPartition, ErrorCode]
Places = AbstractSet[TopicPartition]


class MemberImage:
    """What this broker knows of the cluster: the present image, and the epoch of its own registration."""

    def __init__(self) -> None:
        self.image = ClusterImage()
        self.broker_epoch = -1
        """The epoch of this broker's registration (KIP-380); -1 until it is registered."""

    def epoch(self) -> int:
        """The present `broker_epoch`."""
        return self.broker_epoch

    def topic_id(self, name: str) -> bytes:
        """The id of a topic; zeros if it is unknown or has none."""
        topic = self.image.topics.get(name)
        return topic.topic_id if topic is not None else NO_UUID

    def state(self, place: TopicPartition) -> PartitionState | None:
        """The state of a partition; None if it is unknown."""
        return self.image.partition(place)

    def set_state(self, place: TopicPartition, state: PartitionState) -> None:
        """Change one partition: its ISR has changed on this broker's proposal."""
        changes = TopicDelta(partitions={place.partition: state})
        self.image = self.image.apply(ImageDelta(topics={place.topic: changes}))


class ImageUpdates:
    """Applies LeaderAndIsr, UpdateMetadata and StopReplica, each in steps."""

    def __init__(
        self,
        node_id: NodeId,
        known: MemberImage,
        topics: MemberTopics,
        roles: ReplicaRoles,
        failed_logs: FailedLogs,
    ) -> None:
        self._node_id = node_id
        self._known = known
        self._topics = topics
        self._roles = roles
        self._failed_logs = failed_logs

    def take_leaders(self, request: LeaderAndIsrRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Lead and follow as a LeaderAndIsr says; return its error, and those of its partitions."""
        errors: dict[TopicPartition, ErrorCode] = {}
        for part in split_request(request):
            outcome, configs = yield from self._decided(part)
            if outcome.error:
                return outcome.error, {}
            failed = yield from self._take(outcome.delta, configs, new_replicas(part))
            errors.update(outcome.errors)
            errors.update(failed)
            yield
        # Even if the leader epochs are known: the controller learns from this which replicas are offline.
        return ErrorCode.NONE, errors | dict.fromkeys(
            self._failed_logs.places(), ErrorCode.KAFKA_STORAGE_ERROR
        )

    def take_metadata(
        self, request: UpdateMetadataRequest, first: FirstMetadata
    ) -> Steps[ErrorCode]:
        """Apply an UpdateMetadata, and return its error. `first` gets notice of it."""
        for part in split_request(request):
            outcome, configs = yield from self._decided(part)
            if outcome.error:
                return outcome.error
            yield from self._take(outcome.delta, configs)
            yield
        names_topics = yield from self._topics.name_all(request)
        yield from self._take(gone(self._known.image, request), {})
        yield from first.take(self._topics.are_none, names_topics=names_topics)
        return ErrorCode.NONE

    def stop_replicas(self, request: StopReplicaRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Stop replicas, and delete the logs of those for which a StopReplica says so."""
        errors: dict[TopicPartition, ErrorCode] = {}
        for part in stop_parts(request):
            stopping = stop_replica(
                self._known.image, part, self._node_id, self._known.broker_epoch
            )
            if stopping.outcome.error:
                return stopping.outcome.error, {}
            failed = yield from self._take(stopping.outcome.delta, {})
            errors.update(stopping.outcome.errors)
            errors.update(failed)
            for place, deletes in stopping.stopped.items():
                errors[place] = self._roles.stop(place, deletes=deletes)
                yield
            deleted = [place for place, deletes in stopping.stopped.items() if deletes]
            # Once for all: a sync of the disk takes some milliseconds.
            error = self._roles.sync_stops() if deleted else ErrorCode.NONE
            if error:
                errors.update(dict.fromkeys(deleted, error))
        return ErrorCode.NONE, errors

    def _decided(self, part: _Part) -> Steps[tuple[Outcome, Mapping[str, Config]]]:
        """Return what a part of a request changes, and the properties of topics that are new with it.

        It decides again when the properties are read: by then another request may have changed the image.
        """
        outcome = self._decide(part)
        new = self._topics.unknown(self._known.image, outcome.delta)
        if not new:
            return outcome, {}
        configs = yield from self._topics.read(new)
        return self._decide(part), configs

    def _decide(self, part: _Part) -> Outcome:
        known = self._known
        if isinstance(part, UpdateMetadataRequest):
            return update_metadata(known.image, part, known.broker_epoch)
        return leader_and_isr(known.image, part, self._node_id, known.broker_epoch)

    def _take(
        self, delta: ImageDelta, configs: Mapping[str, Config], new: Places = frozenset()
    ) -> Steps[dict[TopicPartition, ErrorCode]]:
        """Change the image, then topics and roles; return the partitions whose logs failed.

        Topics and roles change in steps, because there may be thousands. A role that another request
        has replaced meanwhile does not begin. `new`: replicas that have no log yet.
        """
        before = self._known.image
        self._known.image = after = before.apply(delta)
        changes = role_changes(before, after, self._node_id)
        for place in changes.leave:
            self._roles.leave(place)
        if delta.brokers:
            self._roles.know_brokers(after.brokers)
        for name in delta.topics:
            self._topics.show(name, self._known.image.topics.get(name), configs.get(name))
            yield
        errors: dict[TopicPartition, ErrorCode] = {}
        for begin, rows in (
            (self._roles.lead, changes.lead),
            (self._roles.follow, changes.follow),
        ):
            for place, state in rows:
                now = self._newest(place, state)
                if now is None:
                    continue
                try:
                    begin(place, now, is_new=place in new)
                except StorageError as error:
                    log.error("replica is offline", extra={**place._asdict(), "error": error})  # noqa: TRY400 - it says why
                    errors[place] = ErrorCode.KAFKA_STORAGE_ERROR
                yield
        for place, state in changes.update:
            role, now = self._roles.leading(place), self._newest(place, state)
            if role is not None and now is not None:
                role.change(frozenset(now.isr), now.replicas, now.partition_epoch)
        return errors

    def _newest(self, place: TopicPartition, state: PartitionState) -> PartitionState | None:
        """The present state of a partition; None if its leader epoch is another, or it has left here."""
        now = self._known.state(place)
        if now is None or now.leader_epoch != state.leader_epoch:
            return None
        return now if self._node_id in now.replicas else None
