"""DeleteShareGroupOffsets (key 92): let a share group forget topics (KIP-932).

Does: answers when nothing is kept of them any more.
Refuses: groups with members, and those that are not there; topics of which nothing is kept.
"""

from collections.abc import Mapping

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.purgatory import Pending
from barnabas.coordinators.common.topic_partitions import Place
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)


def handle(
    broker: Broker, context: RequestContext, request: DeleteShareGroupOffsetsRequest
) -> object:
    """Forget what there is; the others are told so."""
    del context
    pending = Pending()

    def done(codes: Mapping[Place, ErrorCode]) -> None:
        responses = [_topic(broker, one.topic_name, codes) for one in request.topics]
        pending.complete(
            DeleteShareGroupOffsetsResponse(error_code=ErrorCode.NONE, responses=responses)
        )

    try:
        group = broker.shares.offsets.group(request.group_id)
        known = {topic.topic_id for topic in map(broker.topics.get, _names(request)) if topic}
        places = sorted(place for place in group.read if place.topic_id in known)
        broker.shares.offsets.forget(request.group_id, places, done)
    except BrokerError as error:
        return DeleteShareGroupOffsetsResponse(
            error_code=error.code, error_message=error.why, responses=[]
        )
    return pending


def _names(request: DeleteShareGroupOffsetsRequest) -> list[str]:
    return [one.topic_name for one in request.topics]


def _topic(
    broker: Broker, name: str, codes: Mapping[Place, ErrorCode]
) -> DeleteShareGroupOffsetsResponseTopic:
    topic = broker.topics.get(name)
    its_own = [code for place, code in codes.items() if topic and place.topic_id == topic.topic_id]
    if topic is None or not its_own:
        return DeleteShareGroupOffsetsResponseTopic(
            topic_name=name,
            topic_id=bytes(16),
            error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            error_message=None if topic is None else "There is no offset information to delete.",
        )
    failed = [code for code in its_own if code]
    return DeleteShareGroupOffsetsResponseTopic(
        topic_name=name,
        topic_id=topic.topic_id,
        error_code=failed[0] if failed else ErrorCode.NONE,
    )
