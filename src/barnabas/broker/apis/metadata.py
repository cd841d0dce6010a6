"""Metadata (key 3): the brokers, and topics with their partitions and leaders.

Does: returns all topics or some, by name or id (12+); creates missing topics if client and broker allow
    it, which some profiles report only to the next request; returns the address of the listener that
    received the request, and on request the allowed operations: all, as there is no authorizer.
    A member of a cluster asks its controller to create topics, and reports them as unknown until then. It
    responds when its controller has named the brokers, and for unknown topics also the topics.
Ignores: nothing.
Versions: 0 no topics means all · 4 auto-creation can be refused · 10 topic ids · 12 ask by id
"""

from collections.abc import Iterable, Mapping
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, each
from barnabas.broker.requests.authorized_operations import NOT_ASKED, ON_CLUSTER, ON_TOPICS
from barnabas.broker.requests.auto_topics import ask_for_topics, create_in_steps
from barnabas.broker.requests.broker_view import (
    brokers,
    controller,
    until_known,
    until_topics_known,
)
from barnabas.broker.requests.partition_view import view
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import ErrorCode
from barnabas.protocol.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from barnabas.types import Topic
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

_NONE_MEANS_ALL = VersionTable({0: True, 1: False})
_BY_ID = VersionTable({0: False, 12: True})
_FEW = 256
"""Topics that are described at once: a millisecond."""
_NOTHING_MADE: Mapping[str, Topic | ErrorCode] = {}


def handle(
    broker: Broker, context: RequestContext, request: MetadataRequest
) -> MetadataResponse | Pending:
    """Describe the cluster, which is this broker if it is alone, and topics.

    Of many topics, or where some are to be made, that is done in steps, and others are served between.
    """
    waits_for = until_known(broker) or _until_topics_known(broker, request)
    if waits_for is not None:
        return broker.stepping.run(
            _later(broker, context, request, waits_for), ends_when_disconnected=True
        )
    return _answer(broker, context, request)


def _answer(
    broker: Broker, context: RequestContext, request: MetadataRequest
) -> MetadataResponse | Pending:
    asked, operations = request.topics, request.include_topic_authorized_operations
    by_id = _BY_ID[context.api_version]
    if asked and not by_id and any(map(_without_name, asked)):
        return broker.stepping.run(_refuse_all(asked), ends_when_disconnected=True)
    none_means_all = _NONE_MEANS_ALL[context.api_version]
    if asked is None or (not asked and none_means_all):
        return broker.stepping.run(_all(broker, context, request), ends_when_disconnected=True)
    wanted = {(one.name, one.topic_id): one for one in asked}.values()
    makes = request.allow_auto_topic_creation and broker.config.auto_create_topics_enable
    missing: list[str] = []
    if makes:
        names = (one.name for one in wanted if one.name is not None)
        missing = [name for name in names if not broker.topics.get(name)]
    if missing and broker.member is not None:
        ask_for_topics(broker, broker.member, missing)
        missing = []
    if missing or len(wanted) > _FEW:
        return broker.stepping.run(_many(broker, context, request, wanted, missing))
    topics = [_find(broker, one, _NOTHING_MADE, operations=operations) for one in wanted]
    return _response(broker, context, request, topics)


def _refuse_all(asked: Iterable[MetadataRequestTopic]) -> Steps[MetadataResponse]:
    refused = yield from each(asked, _refused)
    return MetadataResponse(brokers=[], topics=refused)


def _later(
    broker: Broker, context: RequestContext, request: MetadataRequest, waits_for: Pending
) -> Steps[MetadataResponse]:
    yield waits_for
    for_topics = _until_topics_known(broker, request)
    if for_topics is not None:
        yield for_topics
    answer = _answer(broker, context, request)
    response: MetadataResponse = (yield answer) if isinstance(answer, Pending) else answer
    return response


def _until_topics_known(broker: Broker, request: MetadataRequest) -> Pending | None:
    """Completes when this broker should know the requested topics; None: it knows them already."""
    if broker.member is None or broker.member.first_metadata.topics.is_over or request.topics == []:
        return None
    asked, topics = request.topics, broker.topics
    are_known = asked is not None and all(
        topics.get(one.name) if one.name is not None else topics.by_id(one.topic_id)
        for one in asked
    )
    return None if are_known else until_topics_known(broker)


def _all(
    broker: Broker, context: RequestContext, request: MetadataRequest
) -> Steps[MetadataResponse]:
    operations = request.include_topic_authorized_operations
    topics = yield from _describe_all(broker, operations=operations)
    return _response(broker, context, request, topics)


def _many(
    broker: Broker,
    context: RequestContext,
    request: MetadataRequest,
    wanted: Iterable[MetadataRequestTopic],
    missing: Iterable[str],
) -> Steps[MetadataResponse]:
    made: dict[str, Topic | ErrorCode] = {}
    yield from create_in_steps(broker, missing, made)
    operations = request.include_topic_authorized_operations
    topics = yield from each(wanted, partial(_find, broker, made=made, operations=operations))
    return _response(broker, context, request, topics)


def _describe_all(broker: Broker, *, operations: bool) -> Steps[list[MetadataResponseTopic]]:
    described = []
    for topic in list(broker.topics):
        if broker.topics.by_id(topic.topic_id) is not None:  # It is not deleted meanwhile.
            described.append(_describe(broker, topic, operations=operations))
        yield
    return described


def _response(
    broker: Broker,
    context: RequestContext,
    request: MetadataRequest,
    topics: list[MetadataResponseTopic],
) -> MetadataResponse:
    operations = request.include_cluster_authorized_operations
    return MetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=node_id, host=host, port=port, rack=rack)
            for node_id, host, port, rack in brokers(broker, context.listener)
        ],
        cluster_id=broker.cluster_id,
        controller_id=controller(broker),
        topics=topics,
        cluster_authorized_operations=ON_CLUSTER if operations else NOT_ASKED,
    )


def _without_name(asked: MetadataRequestTopic) -> bool:
    """Whether topics are requested by id: versions 10 and 11 have the field, but it means nothing there."""
    return asked.name is None or asked.topic_id != NO_UUID


def _refused(asked: MetadataRequestTopic) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=ErrorCode.INVALID_REQUEST,
        name=asked.name or "",
        topic_id=asked.topic_id,
        partitions=[],
    )


def _find(
    broker: Broker,
    asked: MetadataRequestTopic,
    made: Mapping[str, Topic | ErrorCode],
    *,
    operations: bool,
) -> MetadataResponseTopic:
    name = asked.name
    if name is None:
        topic = broker.topics.by_id(asked.topic_id)
        if topic is None:
            return MetadataResponseTopic(
                error_code=ErrorCode.UNKNOWN_TOPIC_ID,
                name=None,
                topic_id=asked.topic_id,
                partitions=[],
            )
        return _describe(broker, topic, operations=operations)
    found: Topic | ErrorCode | None = broker.topics.get(name)
    came = made.get(name)
    if isinstance(came, Topic):
        # It may be deleted again before all of it was made.
        found = found and (broker.profile.code_of_new or found)
    else:
        found = found or came
    if not isinstance(found, Topic):
        code = found or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if problem_of_name(name):
            tells_names = broker.profile.tells_names
            code = (
                ErrorCode.INVALID_TOPIC_EXCEPTION if tells_names else ErrorCode.UNKNOWN_SERVER_ERROR
            )
        return MetadataResponseTopic(
            error_code=code,
            name=name,
            partitions=[],
            topic_authorized_operations=ON_TOPICS if operations else NOT_ASKED,
        )
    return _describe(broker, found, operations=operations)


def _describe(broker: Broker, topic: Topic, *, operations: bool) -> MetadataResponseTopic:
    alone = broker.member is None
    kept = broker.descriptions.find(topic, operations=operations) if alone else None
    if kept is not None:
        return kept
    answer = MetadataResponseTopic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=[_partition(broker, topic.name, index) for index in topic.partitions],
        topic_authorized_operations=ON_TOPICS if operations else NOT_ASKED,
    )
    if not alone:
        return answer
    found = [broker.replicas.find(topic.name, index) for index in topic.partitions]
    led = [one for one in found if one is not None and one.log.failure is None]
    if len(led) < len(found):
        return answer
    return broker.descriptions.keep(topic, led, answer, operations=operations)


def _partition(broker: Broker, name: str, index: int) -> MetadataResponsePartition:
    seen = view(broker, name, index)
    return MetadataResponsePartition(
        error_code=seen.error,
        partition_index=index,
        leader_id=seen.leader,
        leader_epoch=seen.epoch,
        replica_nodes=seen.replicas,
        isr_nodes=seen.in_sync,
        offline_replicas=seen.offline,
    )
