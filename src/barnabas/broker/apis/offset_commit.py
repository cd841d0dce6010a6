"""OffsetCommit (key 8): keep positions of a group.

Does: commits of members, and from outside of a membership (generation -1), as of consumers that
    assign partitions to themselves, while the group has no members; answers when the records are
    written. A member that commits is alive.
Refuses: who is no member, or of another generation; commits amid a rebalance. Of a consumer group:
    who had the partition not yet in the epoch that it names.
Versions: 0 kept apart, as Kafka did in ZooKeeper · 1 times of commits · 2 retention time
    5 no retention time (KIP-211) · 6 leader epochs · 7 static members
    9 other error for unknown groups (KIP-848) · 10 topic ids
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.topic_znodes import Topic
from barnabas.coordinators.group.commit import Commit
from barnabas.coordinators.group.member import Identity
from barnabas.coordinators.group.offset_records import NO_EXPIRY, CommittedOffset, Position
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from barnabas.versions import VersionTable

_UNKNOWN_GROUP = VersionTable({0: ErrorCode.ILLEGAL_GENERATION, 9: ErrorCode.GROUP_ID_NOT_FOUND})
_KNOWS_EPOCHS = VersionTable({0: False, 9: True})
_IN_REGISTRY = VersionTable({0: True, 1: False})
_BY_ID = VersionTable({0: False, 10: True})


def handle(broker: Broker, context: RequestContext, request: OffsetCommitRequest) -> object:
    """Commit what is for partitions that there are; the others are told so."""
    apart = _IN_REGISTRY[context.api_version]
    if apart:
        return _commit_in_registry(broker, request)
    by_id = _BY_ID[context.api_version]
    topics = [
        broker.topics.by_id(asked.topic_id) if by_id else broker.topics.get(asked.name)
        for asked in request.topics
    ]
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    commit = Commit(
        request.group_id,
        Identity(request.member_id, request.group_instance_id),
        request.generation_id_or_member_epoch,
        _offsets(broker, request, topics),
        _UNKNOWN_GROUP[context.api_version],
        knows_epochs=_KNOWS_EPOCHS[context.api_version],
    )

    def respond(codes: "dict[Position, ErrorCode]") -> OffsetCommitResponse:
        return OffsetCommitResponse(
            topics=[
                _answer(asked, topic, codes, missing)
                for asked, topic in zip(request.topics, topics, strict=True)
            ]
        )

    try:
        return broker.offsets.commit(commit, lambda codes: respond(dict(codes)))
    except BrokerError as error:
        return respond(dict.fromkeys(commit.offsets, error.code))


def _offsets(
    broker: Broker, request: OffsetCommitRequest, topics: list[Topic | None]
) -> dict[Position, CommittedOffset]:
    now_ms = broker.clock.time_ms()
    expires = NO_EXPIRY if request.retention_time_ms < 0 else now_ms + request.retention_time_ms
    offsets = {}
    for asked, topic in zip(request.topics, topics, strict=True):
        for partition in asked.partitions:
            if topic is not None and partition.partition_index in topic.partitions:
                offsets[Position(topic.name, partition.partition_index)] = CommittedOffset(
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata or "",
                    now_ms if partition.commit_timestamp < 0 else partition.commit_timestamp,
                    expires,
                    topic.topic_id,
                )
    return offsets


def _answer(
    asked: OffsetCommitRequestTopic,
    topic: Topic | None,
    codes: dict[Position, ErrorCode],
    missing: ErrorCode,
) -> OffsetCommitResponseTopic:
    partitions = []
    for partition in asked.partitions:
        index = partition.partition_index
        code = missing
        if topic is not None:
            code = codes.get(Position(topic.name, index), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        partitions.append(OffsetCommitResponsePartition(partition_index=index, error_code=code))
    return OffsetCommitResponseTopic(
        name=asked.name, topic_id=asked.topic_id, partitions=partitions
    )


def _commit_in_registry(broker: Broker, request: OffsetCommitRequest) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=asked.name,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=one.partition_index,
                        error_code=_keep(broker, request.group_id, asked.name, one),
                    )
                    for one in asked.partitions
                ],
            )
            for asked in request.topics
        ]
    )


def _keep(broker: Broker, group: str, name: str, asked: OffsetCommitRequestPartition) -> ErrorCode:
    topic = broker.topics.get(name)
    if topic is None or asked.partition_index not in topic.partitions:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if len(asked.committed_metadata or "") > broker.config.offset_metadata_max_bytes:
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    if not group:
        return ErrorCode.UNKNOWN_SERVER_ERROR
    try:
        offset = asked.committed_offset
        broker.registry_offsets.commit(group, name, asked.partition_index, offset)
    except StorageError:
        return ErrorCode.UNKNOWN_SERVER_ERROR
    return ErrorCode.NONE
