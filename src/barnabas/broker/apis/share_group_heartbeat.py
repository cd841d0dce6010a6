"""ShareGroupHeartbeat (key 76): membership in a group whose members share partitions (KIP-932).

Does: joins, changes and leaves; responds when the result is written. A member that leaves keeps its
    acquired records until its share session or their locks end.
Ignores: the rack: all partitions are on this broker.
Versions: 1, the same layout as 0, which was early access
"""

from barnabas.broker.apis.consumer_group_heartbeat import need
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.idle_heartbeats import is_no_news
from barnabas.broker.purgatory.pending import RepeatableReply
from barnabas.broker.shards.record_names import check_kept
from barnabas.coordinators.common.topic_partitions import by_topic
from barnabas.coordinators.consumer_group.heartbeats import HeartbeatReply
from barnabas.coordinators.share_group.groups import JOINS, LEAVES, ShareHeartbeat
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.share_group_heartbeat import (
    Assignment,
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

_LONGEST_ID = 36


def handle(broker: Broker, context: RequestContext, request: ShareGroupHeartbeatRequest) -> object:
    """Ask the group."""
    try:
        _check(request)
    except BrokerError as error:
        return _respond(error)
    asked = _asked(context, request)
    outcome = broker.shares.members.beat(asked, _respond)
    if is_no_news(ShareGroupHeartbeatResponse, request.member_epoch, outcome):
        return RepeatableReply(outcome, broker.shares.members.idle(asked).again, is_patient=True)
    return outcome


def _asked(context: RequestContext, request: ShareGroupHeartbeatRequest) -> ShareHeartbeat:
    names = request.subscribed_topic_names
    return ShareHeartbeat(
        group_id=request.group_id,
        member_id=request.member_id,
        epoch=request.member_epoch,
        client_id=context.client_id or "",
        client_host=context.client_host,
        rack_id=request.rack_id,
        topics=None if names is None else tuple(names),
    )


def _check(request: ShareGroupHeartbeatRequest) -> None:
    """Source: Kafka's GroupCoordinatorService.throwIfShareGroupHeartbeatRequestIsInvalid."""
    need("MemberId", request.member_id)
    need("GroupId", request.group_id)
    need("RackId", request.rack_id)
    if request.member_epoch == JOINS:
        check_kept(request.group_id)
    if len(request.member_id) > _LONGEST_ID:
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"MemberId has over {_LONGEST_ID} characters.")
    if request.member_epoch == JOINS and not request.subscribed_topic_names:
        why = "SubscribedTopicNames must be set in first request."
        raise BrokerError(ErrorCode.INVALID_REQUEST, why)
    if request.member_epoch < LEAVES:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "MemberEpoch is invalid.")


def _respond(reply: HeartbeatReply | BrokerError) -> ShareGroupHeartbeatResponse:
    if isinstance(reply, BrokerError):
        return ShareGroupHeartbeatResponse(
            error_code=reply.code, error_message=reply.why, member_epoch=0, heartbeat_interval_ms=0
        )
    assigned = None
    if reply.assigned is not None:
        assigned = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, partitions=partitions)
                for topic_id, partitions in by_topic(reply.assigned).items()
            ]
        )
    return ShareGroupHeartbeatResponse(
        error_code=ErrorCode.NONE,
        member_id=reply.member_id,
        member_epoch=reply.epoch,
        heartbeat_interval_ms=reply.heartbeat_ms,
        assignment=assigned,
    )
