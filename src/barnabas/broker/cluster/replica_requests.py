"""The requests of a follower to its leader, for many partitions at once."""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from barnabas.broker.cluster.follower_session import FollowerSession, without_session
from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.config.broker import BrokerConfig
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from barnabas.replication.requests import AskEpochEnd, AskOffsets, FetchNext
from barnabas.types import NodeId, TopicPartition
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

LATEST, EARLIEST = -1, -2
_LAST_BY_NAME = 12
"""The last version of Fetch with topic names; later versions have topic ids."""
_BY_ID = VersionTable({0: False, _LAST_BY_NAME + 1: True})
_WITH_SESSION = VersionTable({0: False, 7: True})
_WITH_STATE = VersionTable({0: False, 15: True})
"""By version of Fetch: whether the follower's id is in ReplicaState, with its broker epoch."""


class FetchLimits(NamedTuple):
    """The fetching broker, its versions, and its limits: times in ms, sizes in bytes."""

    node_id: NodeId
    versions: InterBrokerVersions
    broker_epoch: Callable[[], int]
    wait_ms: int
    max_bytes: int
    partition_max_bytes: int
    back_off_ms: int

    @classmethod
    def of(
        cls, config: BrokerConfig, versions: InterBrokerVersions, broker_epoch: Callable[[], int]
    ) -> "FetchLimits":
        """From `replica.fetch.*`."""
        return cls(
            NodeId(config.node_id),
            versions,
            broker_epoch,
            config.replica_fetch_wait_max_ms,
            config.replica_fetch_response_max_bytes,
            config.replica_fetch_max_bytes,
            config.replica_fetch_backoff_ms,
        )


def epoch_end_request(
    asked: Mapping[TopicPartition, AskEpochEnd], limits: FetchLimits
) -> OffsetForLeaderEpochRequest:
    """Request the end offsets of these epochs."""
    return OffsetForLeaderEpochRequest(
        replica_id=limits.node_id,
        topics=[
            OffsetForLeaderTopic(
                topic=topic,
                partitions=[
                    OffsetForLeaderPartition(
                        partition=one.partition,
                        current_leader_epoch=asked[one].leader_epoch,
                        leader_epoch=asked[one].epoch,
                    )
                    for one in partitions
                ],
            )
            for topic, partitions in _by_topic(asked)
        ],
    )


def list_offsets_request(
    asked: Mapping[TopicPartition, AskOffsets], timestamp: int, limits: FetchLimits
) -> ListOffsetsRequest:
    """Request the start offset (EARLIEST) or end offset (LATEST) of each log."""
    return ListOffsetsRequest(
        replica_id=limits.node_id,
        topics=[
            ListOffsetsTopic(
                name=topic,
                partitions=[
                    ListOffsetsPartition(
                        partition_index=one.partition,
                        current_leader_epoch=asked[one].leader_epoch,
                        timestamp=timestamp,
                    )
                    for one in partitions
                ],
            )
            for topic, partitions in _by_topic(asked)
        ],
    )


def fetch_request(
    asked: Mapping[TopicPartition, FetchNext],
    ids: Mapping[str, bytes],
    limits: FetchLimits,
    session: FollowerSession,
) -> tuple[int, FetchRequest]:
    """Return the version and the request for records of partitions, in their order.

    Topics are named if one of them has no id. Within a session the request contains changes only.
    """
    version = limits.versions.fetch
    if NO_UUID in ids.values():
        version = min(version, _LAST_BY_NAME)
    by_id, with_state, in_session = _BY_ID[version], _WITH_STATE[version], _WITH_SESSION[version]
    part = without_session(asked)
    if in_session:
        part = session.next_request(asked, ids, by_id=by_id)
    state = ReplicaState(replica_id=limits.node_id, replica_epoch=limits.broker_epoch())
    message = FetchRequest(
        replica_id=-1 if with_state else limits.node_id,
        replica_state=state if with_state else None,
        max_wait_ms=0 if part.hurries else limits.wait_ms,
        min_bytes=1,
        max_bytes=limits.max_bytes,
        session_id=part.session_id,
        session_epoch=part.epoch,
        topics=[
            FetchTopic(
                topic="" if by_id else topic,
                topic_id=ids[topic] if by_id else NO_UUID,
                partitions=[
                    FetchPartition(
                        partition=one.partition,
                        current_leader_epoch=asked[one].leader_epoch,
                        fetch_offset=asked[one].offset,
                        last_fetched_epoch=asked[one].last_epoch,
                        log_start_offset=asked[one].log_start,
                        partition_max_bytes=limits.partition_max_bytes,
                    )
                    for one in partitions
                ],
            )
            for topic, partitions in _by_topic(part.changed)
        ],
        forgotten_topics_data=[
            ForgottenTopic(
                topic="" if by_id else one.topic,
                topic_id=topic_id if by_id else NO_UUID,
                partitions=[one.partition],
            )
            for one, topic_id in part.forgotten.items()
        ],
    )
    return version, message


def _by_topic(
    partitions: Iterable[TopicPartition],
) -> Iterable[tuple[str, list[TopicPartition]]]:
    """Group consecutive partitions by topic; a topic may occur more than once."""
    for topic, some in groupby(partitions, attrgetter("topic")):
        yield topic, list(some)
