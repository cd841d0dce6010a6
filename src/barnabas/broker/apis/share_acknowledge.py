"""ShareAcknowledge (key 79): a member of a share group acknowledges records (KIP-932).

Does: responds when the acknowledgements are stored; epoch -1 closes the session and releases the member's
    records.
Refuses: members without a session or at another epoch; partitions with renewals that are not announced.
Versions: 2 renewed locks (KIP-1222)
"""

from collections.abc import Iterable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.share_leaders import current_leader
from barnabas.broker.shares.acknowledgements import (
    Acknowledger,
    Codes,
    acknowledge_all,
    acknowledgements_of,
)
from barnabas.broker.shares.sessions import CLOSES, OPENS
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.share_acknowledge import (
    LeaderIdAndEpoch,
    PartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: ShareAcknowledgeRequest
) -> Steps[ShareAcknowledgeResponse]:
    """Apply the acknowledgements, partition by partition."""
    group_id, member_id = request.group_id or "", request.member_id or ""
    acknowledgements = acknowledgements_of(request.topics)
    try:
        _check(request)
        epoch, connection = request.share_session_epoch, context.connection
        broker.shares.sessions.begin(group_id, member_id, epoch, connection)
    except BrokerError as error:
        return ShareAcknowledgeResponse(
            error_code=error.code, error_message=error.why or None, responses=[], node_endpoints=[]
        )
    sender = Acknowledger(group_id, member_id, request.is_renew_ack)
    codes = yield from acknowledge_all(broker.shares.partitions, sender, acknowledgements)
    if request.share_session_epoch == CLOSES:
        broker.shares.end_session(group_id, member_id)
    return ShareAcknowledgeResponse(
        error_code=ErrorCode.NONE,
        acquisition_lock_timeout_ms=broker.shares.partitions.locks.lock_ms(group_id),
        responses=list(_responses(broker, codes)),
        node_endpoints=[],
    )


def _check(request: ShareAcknowledgeRequest) -> None:
    if request.group_id is None or not request.member_id:
        raise BrokerError(ErrorCode.INVALID_REQUEST)
    if request.share_session_epoch == OPENS:
        raise BrokerError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)


def _responses(broker: Broker, codes: Codes) -> Iterable[ShareAcknowledgeTopicResponse]:
    topics: dict[bytes, list[PartitionData]] = {}
    for place, code in codes.items():
        leader_id, epoch = current_leader(broker, place, code)
        topics.setdefault(place.topic_id, []).append(
            PartitionData(
                partition_index=place.partition,
                error_code=code,
                current_leader=LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=epoch),
            )
        )
    for topic_id, partitions in topics.items():
        yield ShareAcknowledgeTopicResponse(topic_id=topic_id, partitions=partitions)
