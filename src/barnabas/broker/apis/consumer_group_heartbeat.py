"""ConsumerGroupHeartbeat (key 68): membership in a group whose broker assigns partitions (KIP-848).

Does: joins, changes and leaves; responds when the result is written. The response has the member's
    assignment if that changed, or if the heartbeat was a full one.
Refuses: what KIP-848 says; see `coordinators.consumer_group`.
Ignores: the rack: all partitions are on this broker.
Versions: 1 subscription by regular expression, ids made by the members (KIP-1082)
"""

from collections.abc import Iterable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.consumer_policies import check_protocol
from barnabas.broker.groups.idle_heartbeats import is_no_news
from barnabas.broker.purgatory.pending import RepeatableReply
from barnabas.broker.shards.record_names import check_kept
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.coordinators.consumer_group.member import JOINS, LEAVES, LEAVES_FOR_A_WHILE
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from barnabas.versions import VersionTable

_MAKES_IDS = VersionTable({0: True, 1: False})
"""Whether the broker makes the id of a member that has none."""


def handle(
    broker: Broker, context: RequestContext, request: ConsumerGroupHeartbeatRequest
) -> object:
    """Ask the group."""
    makes_ids = _MAKES_IDS[context.api_version]
    try:
        check_protocol(broker.config, "consumer")
        _check(broker, request, makes_ids=makes_ids)
    except BrokerError as error:
        return _respond(error)
    member_id = request.member_id
    if not member_id:
        member_id = uuid_text(broker.entropy.uuid())
    asked = _asked(context, request, member_id)
    outcome = broker.members.beat(asked, _respond)
    if is_no_news(ConsumerGroupHeartbeatResponse, request.member_epoch, outcome):
        return RepeatableReply(outcome, broker.members.idle(asked).again, is_patient=True)
    return outcome


def _asked(
    context: RequestContext, request: ConsumerGroupHeartbeatRequest, member_id: str
) -> ConsumerHeartbeat:
    owned = request.topic_partitions
    names = request.subscribed_topic_names
    return ConsumerHeartbeat(
        group_id=request.group_id,
        member_id=member_id,
        epoch=request.member_epoch,
        client_id=context.client_id or "",
        client_host=context.client_host,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        topics=None if names is None else tuple(names),
        regex=request.subscribed_topic_regex,
        assignor=request.server_assignor,
        owned=None if owned is None else _places(owned),
    )


def _check(broker: Broker, request: ConsumerGroupHeartbeatRequest, *, makes_ids: bool) -> None:
    """Source: Kafka's GroupCoordinatorService.throwIfConsumerGroupHeartbeatRequestIsInvalid."""
    epoch = request.member_epoch
    if not makes_ids or epoch > 0 or epoch == LEAVES:
        need("MemberId", request.member_id)
    need("GroupId", request.group_id)
    need("InstanceId", request.instance_id)
    need("RackId", request.rack_id)
    check_kept(request.subscribed_topic_regex)
    if epoch == JOINS:
        _check_joiner(request)
        check_kept(request.group_id, request.member_id)
    elif epoch == LEAVES_FOR_A_WHILE and request.instance_id is None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "InstanceId can't be null.")
    elif epoch < LEAVES_FOR_A_WHILE:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "MemberEpoch is invalid.")
    known = broker.config.group_consumer_assignors
    if request.server_assignor is not None and request.server_assignor not in known:
        raise BrokerError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {request.server_assignor} is not supported. Supported assignors: "
            f"{', '.join(known)}.",
        )


def need(what: str, value: str | None) -> None:
    """Refuse what is there and empty.

    Raises:
        BrokerError: INVALID_REQUEST.
    """
    if value is not None and not value.strip():
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"{what} can't be empty.")


def _check_joiner(request: ConsumerGroupHeartbeatRequest) -> None:
    why = None
    if request.rebalance_timeout_ms == -1:
        why = "RebalanceTimeoutMs must be provided in first request."
    elif request.topic_partitions is None or request.topic_partitions:
        why = "TopicPartitions must be empty when (re-)joining."
    elif request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        why = "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining."
    if why is not None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, why)


def _places(topics: Iterable[TopicPartitions]) -> frozenset[TopicIdPartition]:
    return frozenset(
        TopicIdPartition(bytes(one.topic_id), partition)
        for one in topics
        for partition in one.partitions
    )


def _respond(reply: HeartbeatReply | BrokerError) -> ConsumerGroupHeartbeatResponse:
    if isinstance(reply, BrokerError):
        return ConsumerGroupHeartbeatResponse(
            error_code=reply.code, error_message=reply.why, member_epoch=0, heartbeat_interval_ms=0
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=ErrorCode.NONE,
        member_id=reply.member_id,
        member_epoch=reply.epoch,
        heartbeat_interval_ms=reply.heartbeat_ms,
        assignment=None if reply.assigned is None else _assignment(reply.assigned),
    )


def _assignment(places: Iterable[TopicIdPartition]) -> Assignment:
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in by_topic(places).items()
        ]
    )
