"""OffsetFetch (key 9): the offsets that groups committed.

Does: the requested offsets, or all of a group; -1 without a commit. A request for stable offsets must
    be retried while an open transaction has an offset (KIP-447).
Refuses: a sender that names a member that the group does not have, or another epoch.
Versions: 0 what was committed in version 0 · 2 all topics by null, errors of the group
    5 leader epochs · 8 several groups (KIP-709) · 9 members (KIP-848) · 10 topic ids
"""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, cast

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import (
    Steps,
    grown,
    grown_in_steps,
    in_steps_while_connected,
)
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from barnabas.types import Topic, TopicPartition
from barnabas.versions import VersionTable
from barnabas.wire.growing import GrowingArray

_IN_REGISTRY = VersionTable({0: True, 1: False})
_SEVERAL = VersionTable({0: False, 8: True})
_BY_ID = VersionTable({0: False, 10: True})
_AT_ONCE = 256
"""Partitions that are looked up together: a millisecond."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: OffsetFetchRequest
) -> Steps[OffsetFetchResponse]:
    """Answer for each group; to version 7 there is one, in another shape."""
    apart = _IN_REGISTRY[context.api_version]
    if apart:
        return (yield from _fetch_from_registry(broker, request))
    by_id = _BY_ID[context.api_version]
    several = _SEVERAL[context.api_version]
    if several:
        describe = partial(_group, broker, request, _NEWER, by_id=by_id)
        groups = yield from grown_in_steps(request.groups, describe)
        return OffsetFetchResponse(groups=groups)
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestTopics(name=one.name, partition_indexes=one.partition_indexes)
            for one in request.topics
        ]
    asked = OffsetFetchRequestGroup(group_id=request.group_id, topics=topics)
    group = yield from _group(broker, request, _OLDER, asked, by_id=False)
    older = cast("list[OffsetFetchResponseTopic]", group.topics)
    return OffsetFetchResponse(topics=older, error_code=group.error_code)


def _older_topic(asked: OffsetFetchRequestTopics, rows: list[Any]) -> OffsetFetchResponseTopic:
    return OffsetFetchResponseTopic(name=asked.name, partitions=rows)


def _newer_topic(asked: OffsetFetchRequestTopics, rows: list[Any]) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(name=asked.name, topic_id=asked.topic_id, partitions=rows)


class _Shape(NamedTuple):
    """What a topic and a partition are in the response."""

    topic: Callable[[OffsetFetchRequestTopics, list[Any]], Any]
    row: Callable[..., Any]


_OLDER = _Shape(_older_topic, OffsetFetchResponsePartition)
_NEWER = _Shape(_newer_topic, OffsetFetchResponsePartitions)


def _group(
    broker: Broker,
    request: OffsetFetchRequest,
    shape: _Shape,
    asked: OffsetFetchRequestGroup,
    *,
    by_id: bool,
) -> Steps[OffsetFetchResponseGroup]:
    group_id = asked.group_id
    code = ErrorCode.NONE
    try:
        refused = broker.offsets.refusal(group_id, asked.member_id, asked.member_epoch)
        if refused:
            return OffsetFetchResponseGroup(group_id=group_id, topics=[], error_code=refused)
        topics = asked.topics if asked.topics is not None else _all(broker, group_id, by_id=by_id)
        stable = request.require_stable
        describe = partial(_topic, broker, group_id, shape, by_id=by_id, stable=stable)
        answers = yield from grown_in_steps(topics, describe)
    except BrokerError as error:
        code = error.code
        refuse = partial(_refused_topic, shape, code)
        answers = yield from grown_in_steps(asked.topics or (), refuse)
    return OffsetFetchResponseGroup(group_id=group_id, topics=answers, error_code=code)


def _refused_topic(shape: _Shape, code: ErrorCode, asked: OffsetFetchRequestTopics) -> Steps[Any]:
    row = partial(_row, shape, found=None, code=code)
    return shape.topic(asked, (yield from grown(asked.partition_indexes, row)))


def _all(broker: Broker, group_id: str, *, by_id: bool) -> list[OffsetFetchRequestTopics]:
    """All that a group has committed, as if it were requested."""
    topics = []
    for name, positions in groupby(broker.offsets.positions(group_id), lambda one: one.topic):
        topic = broker.topics.get(name)
        if by_id and topic is None:
            # A deleted topic has no id to be identified by.
            continue
        topics.append(
            OffsetFetchRequestTopics(
                name=name,
                topic_id=topic.topic_id if topic else bytes(16),
                partition_indexes=[position.partition for position in positions],
            )
        )
    return topics


def _topic(
    broker: Broker,
    group_id: str,
    shape: _Shape,
    asked: OffsetFetchRequestTopics,
    *,
    by_id: bool,
    stable: bool,
) -> Steps[Any]:
    name, code = asked.name, ErrorCode.NONE
    if by_id:
        topic: Topic | None = broker.topics.by_id(asked.topic_id)
        if topic is None:
            code = ErrorCode.UNKNOWN_TOPIC_ID
        else:
            name = topic.name
    rows: GrowingArray[Any] = GrowingArray()
    for first in range(0, len(asked.partition_indexes), _AT_ONCE):
        some = asked.partition_indexes[first : first + _AT_ONCE]
        positions = [TopicPartition(name, index) for index in some]
        found = [None] * len(some) if code else broker.offsets.fetch(group_id, positions)
        for position, one in zip(positions, found, strict=True):
            hidden = stable and not code and broker.offsets.is_pending(group_id, position)
            row_code = ErrorCode.UNSTABLE_OFFSET_COMMIT if hidden else code
            rows.add(_row(shape, position.partition, None if hidden else one, row_code))
        yield rows
    yield
    return shape.topic(asked, rows.done())


def _row(shape: _Shape, index: int, found: OffsetAndMetadata | None, code: ErrorCode) -> Any:
    return shape.row(
        partition_index=index,
        committed_offset=found.offset if found else -1,
        committed_leader_epoch=found.leader_epoch if found else -1,
        metadata=found.metadata if found else "",
        error_code=code,
    )


def _fetch_from_registry(broker: Broker, request: OffsetFetchRequest) -> Steps[OffsetFetchResponse]:
    def topic(asked: OffsetFetchRequestTopic) -> Steps[OffsetFetchResponseTopic]:
        kept = partial(_kept, broker, request.group_id, asked.name)
        partitions = yield from grown_in_steps(asked.partition_indexes, kept)
        return OffsetFetchResponseTopic(name=asked.name, partitions=partitions)

    topics = yield from grown_in_steps(request.topics or (), topic)
    return OffsetFetchResponse(topics=topics)


def _kept(broker: Broker, group: str, name: str, index: int) -> Steps[OffsetFetchResponsePartition]:
    offset: int | None = None
    error = ErrorCode.NONE
    topic = broker.topics.get(name)
    is_there = topic is not None and index in topic.partitions
    try:
        if is_there:
            read = partial(broker.registry_offsets.fetch, group, name, index)
            offset = yield from broker.registry_calls.make(read)
        if offset is None:
            error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    except StorageError:
        error = ErrorCode.UNKNOWN_SERVER_ERROR
    return OffsetFetchResponsePartition(
        partition_index=index,
        committed_offset=-1 if offset is None else offset,
        metadata="",
        error_code=error,
    )
