"""DeleteTopics (key 20): delete topics by name or id, with their records.

Does: both ways of naming; refuses while `delete.topic.enable` is false.
Ignores: `timeout_ms`: topics are gone before the answer (their files follow).
Versions: 3 a code of its own when deletion is disabled · 5 messages · 6 by topic id (KIP-516)
"""

from collections import Counter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

_DISABLED = VersionTable({0: ErrorCode.INVALID_REQUEST, 3: ErrorCode.TOPIC_DELETION_DISABLED})


def handle(
    broker: Broker, context: RequestContext, request: DeleteTopicsRequest
) -> DeleteTopicsResponse:
    """Delete each topic that is there; say why the others are not deleted."""
    asked = [DeleteTopicState(name=name, topic_id=NO_UUID) for name in request.topic_names]
    asked += request.topics
    times = Counter((one.name, one.topic_id) for one in asked)
    responses = []
    for one in asked:
        name, code, why = one.name, ErrorCode.NONE, None
        try:
            if not broker.config.delete_topic_enable:
                raise BrokerError(_DISABLED[context.api_version], "deleting topics is disabled")
            if times[one.name, one.topic_id] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the topic is there twice")
            name = _name(broker, one)
            broker.topics.delete(name)
            broker.offsets.forget_topic(name)
        except KafkaError as error:
            code, why = error.code, error.why
        responses.append(
            DeletableTopicResult(
                name=name, topic_id=one.topic_id, error_code=code, error_message=why
            )
        )
    return DeleteTopicsResponse(responses=responses)


def _name(broker: Broker, asked: DeleteTopicState) -> str:
    if (asked.name is None) == (asked.topic_id == NO_UUID):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "either the name or the id must be given")
    if asked.name is not None:
        return asked.name
    topic = broker.topics.by_id(asked.topic_id)
    if topic is None:
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_ID, "no topic has this id")
    return topic.name
