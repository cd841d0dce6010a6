"""OffsetCommit (key 8): store positions of a group.

Does: accepts commits of members and, while the group has none, of consumers that assign partitions to
    themselves (generation -1); responds when the records are written. A commit renews the member's session.
Refuses: clients that are not members or of another generation, and commits during a rebalance. In a
    consumer group: members that did not have the partition yet in the epoch of the request.
Versions: 0 kept apart, as Kafka did in ZooKeeper · 1 times of commits · 2 retention time
    5 no retention time (KIP-211) · 6 leader epochs · 7 static members
    9 other error for unknown groups (KIP-848) · 10 topic ids
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.registry_offsets import RegistryOffsets
from barnabas.broker.groups.repeated_commit import RepeatedCommit
from barnabas.broker.purgatory.pending import Unwritten
from barnabas.broker.purgatory.stepping import Steps, at_once
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import NO_EXPIRY, OffsetAndMetadata
from barnabas.coordinators.offsets.offsets import is_too_long
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from barnabas.types import TopicPartition, new_tuple
from barnabas.versions import VersionRange, VersionTable
from barnabas.wire.schema import maker

_part = maker(OffsetCommitResponsePartition)
_in_topic = maker(OffsetCommitResponseTopic)


class CommitRules(NamedTuple):
    """What depends on the version. `unknown_group`: the code for a member of no group."""

    unknown_group: ErrorCode
    in_registry: bool = False
    knows_epochs: bool = False
    by_id: bool = False


_TABLE = VersionTable(
    {
        0: CommitRules(ErrorCode.ILLEGAL_GENERATION, in_registry=True),
        1: CommitRules(ErrorCode.ILLEGAL_GENERATION),
        9: CommitRules(ErrorCode.GROUP_ID_NOT_FOUND, knows_epochs=True),
        10: CommitRules(ErrorCode.GROUP_ID_NOT_FOUND, knows_epochs=True, by_id=True),
    }
)
_RULES = {version: _TABLE[version] for version in VersionRange.parse("0-10")}
_NOT_THERE = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
_FEW = 256
"""Partitions whose offsets are gathered in a step: less than a millisecond."""
_LAST_MS = 2**63 - 1
"""The latest time that a record can say; a client may ask for more."""


def handle(broker: Broker, context: RequestContext, request: OffsetCommitRequest) -> object:
    """Commit what is for partitions that exist; the others get an error.

    Topics without partitions are left out of the response, as Kafka does.
    """
    rules = _RULES[context.api_version]
    if rules.in_registry:
        return broker.stepping.run(_keep_in_registry(broker, request))
    steps = _commit(broker, rules, request)
    if sum(1 + len(topic.partitions) for topic in request.topics) <= _FEW:
        return at_once(steps)
    return broker.stepping.run(steps)


def _commit(broker: Broker, rules: CommitRules, request: OffsetCommitRequest) -> Steps[object]:
    """All of it is one batch, which is written or refused as a whole."""
    known, by_id = broker.topics, rules.by_id
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else _NOT_THERE
    now_ms, retention_ms = broker.clock.time_ms(), request.retention_time_ms
    expires = NO_EXPIRY if retention_ms < 0 else min(now_ms + retention_ms, _LAST_MS)
    offsets: dict[TopicPartition, OffsetAndMetadata] = {}
    places: list[tuple[OffsetCommitResponsePartition, TopicPartition]] = []
    response = OffsetCommitResponse(topics=[])
    for asked in request.topics:
        topic = known.by_id(asked.topic_id) if by_id else known.get(asked.name)
        parts: list[OffsetCommitResponsePartition] = []
        wanted = asked.partitions
        for first in range(0, len(wanted), _FEW):
            for one in wanted[first : first + _FEW]:
                index = one.partition_index
                if topic is None or index not in topic.partitions:
                    code = missing if topic is None else _NOT_THERE
                    parts.append(_part(partition_index=index, error_code=code))
                    continue
                place = new_tuple(TopicPartition, (topic.name, index))
                part = _part(partition_index=index, error_code=ErrorCode.NONE)
                parts.append(part)
                places.append((part, place))
                time, metadata = one.commit_timestamp, one.committed_metadata or ""
                when = now_ms if time < 0 else time
                kept = (one.committed_offset, one.committed_leader_epoch, metadata, when, expires)
                offsets[place] = new_tuple(OffsetAndMetadata, (*kept, topic.topic_id))
            yield
        yield
        if parts:
            response.topics.append(
                _in_topic(name=asked.name, topic_id=asked.topic_id, partitions=parts)
            )

    def respond(codes: Mapping[TopicPartition, ErrorCode]) -> OffsetCommitResponse:
        for part, place in places:
            part.error_code = codes[place]
        return response

    who = new_tuple(Identity, (request.member_id, request.group_instance_id))
    generation = request.generation_id_or_member_epoch
    commit = new_tuple(
        Commit,
        (
            request.group_id, who, generation, offsets, rules.unknown_group, False,
            rules.knows_epochs,
        ),
    )  # fmt: skip
    try:
        outcome = broker.offsets.commit(commit, respond)
    except BrokerError as error:
        return respond(dict.fromkeys(offsets, error.code))
    if type(outcome) is Unwritten and _may_come_again(request, len(offsets)):
        return RepeatedCommit(broker.groups, broker.clock, commit, outcome)
    return outcome


def _may_come_again(request: OffsetCommitRequest, count: int) -> bool:
    """Whether all its partitions are there, few, and committed as of now."""
    partitions = [one for topic in request.topics for one in topic.partitions]
    return (
        len(partitions) == count <= _FEW
        and request.retention_time_ms < 0
        and all(one.commit_timestamp < 0 for one in partitions)
    )


def _keep_in_registry(broker: Broker, request: OffsetCommitRequest) -> Steps[OffsetCommitResponse]:
    response = OffsetCommitResponse(topics=[])
    for asked in request.topics:
        parts = []
        for one in asked.partitions:
            index, code = one.partition_index, _refusal(broker, asked.name, one)
            if not code:
                where = request.group_id, asked.name, index
                keep = partial(_kept, broker.registry_offsets, *where, one.committed_offset)
                code = yield from broker.registry_calls.make(keep)
            parts.append(OffsetCommitResponsePartition(partition_index=index, error_code=code))
            yield
        if parts:
            response.topics.append(OffsetCommitResponseTopic(name=asked.name, partitions=parts))
    return response


def _refusal(broker: Broker, name: str, asked: OffsetCommitRequestPartition) -> ErrorCode:
    topic = broker.topics.get(name)
    if topic is None or asked.partition_index not in topic.partitions:
        return _NOT_THERE
    if is_too_long(asked.committed_metadata or "", broker.config.offset_metadata_max_bytes):
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    return ErrorCode.NONE


def _kept(offsets: RegistryOffsets, group: str, name: str, index: int, offset: int) -> ErrorCode:
    try:
        offsets.commit(group, name, index, offset)
    except StorageError:
        # Also of a name that ZooKeeper refuses: there is no other word for it in Kafka.
        return ErrorCode.UNKNOWN_SERVER_ERROR
    return ErrorCode.NONE
