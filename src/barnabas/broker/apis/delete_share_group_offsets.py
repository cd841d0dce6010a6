"""DeleteShareGroupOffsets (key 92): let a share group forget topics (KIP-932).

Does: answers when nothing is kept of them any more.
Refuses: groups with members, and those that are not there; topics of which nothing is kept.
"""

from collections.abc import Mapping
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: DeleteShareGroupOffsetsRequest
) -> Steps[DeleteShareGroupOffsetsResponse]:
    """Delete the existing offsets; other topics get an error."""
    del context
    try:
        group = broker.shares.offsets.group(request.group_id)
        known = set()
        for one in request.topics:
            topic = broker.topics.get(one.topic_name)
            known.add(None if topic is None else topic.topic_id)
            yield
        places = sorted(place for place in group.read if place.topic_id in known)
        codes = yield from broker.shares.offsets.forget(request.group_id, places)
    except BrokerError as error:
        return DeleteShareGroupOffsetsResponse(
            error_code=error.code, error_message=error.why, responses=[]
        )
    by_topic: dict[bytes, ErrorCode] = {}
    for place, code in codes.items():
        # One that failed counts for its topic.
        by_topic[place.topic_id] = by_topic.get(place.topic_id) or code
    responses = yield from grown(request.topics, partial(_topic, broker, by_topic))
    return DeleteShareGroupOffsetsResponse(error_code=ErrorCode.NONE, responses=responses)


def _topic(
    broker: Broker, codes: Mapping[bytes, ErrorCode], asked: DeleteShareGroupOffsetsRequestTopic
) -> DeleteShareGroupOffsetsResponseTopic:
    name = asked.topic_name
    topic = broker.topics.get(name)
    if topic is None or topic.topic_id not in codes:
        return DeleteShareGroupOffsetsResponseTopic(
            topic_name=name,
            topic_id=bytes(16),
            error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            error_message=None if topic is None else "There is no offset information to delete.",
        )
    return DeleteShareGroupOffsetsResponseTopic(
        topic_name=name, topic_id=topic.topic_id, error_code=codes[topic.topic_id]
    )
