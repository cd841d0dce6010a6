"""DeleteTopics (key 20): delete topics by name or id, with their records.

Does: both ways of naming; many partitions go in steps, between which others are served; refuses
    while `delete.topic.enable` is false; before 1.0 that is never done in time (see `Profile`).
    A topic that is named twice, in the same or in both ways, is refused once.
Ignores: `timeout_ms`: topics are deleted before the response (their files follow); in a cluster it is how
    long the brokers with replicas are waited for.
Versions: 1 throttle time · 3 a code of its own when deletion is disabled · 5 messages, refused
    when a quota is used up (KIP-599) · 6 by topic id (KIP-516)
"""

from collections import Counter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.cluster_topics import begin_deletion, still_there, until_deleted
from barnabas.broker.requests.mutations import Mutations
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from barnabas.types import Topic
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

_DISABLED = VersionTable({0: ErrorCode.INVALID_REQUEST, 3: ErrorCode.TOPIC_DELETION_DISABLED})
_STRICT = VersionTable({0: False, 5: True})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: DeleteTopicsRequest
) -> Steps[DeleteTopicsResponse]:
    """Delete each topic that is there; say why the others are not deleted."""
    quota = Mutations(broker, context, strict=_STRICT[context.api_version])
    answers: dict[tuple[str | None, bytes], DeletableTopicResult] = {}
    asked = [DeleteTopicState(name=name, topic_id=NO_UUID) for name in request.topic_names]
    times = Counter((one.name, one.topic_id) for one in asked + request.topics)
    wanted: list[Topic] = []
    for name, topic_id in times:
        code, why, key = ErrorCode.NONE, None, (name, topic_id)
        try:
            disabled = not broker.config.delete_topic_enable
            if disabled and broker.profile.tells_disabled:
                raise BrokerError(_DISABLED[context.api_version], "deleting topics is disabled")
            if times[name, topic_id] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the request names the topic twice")
            topic = _find(broker, name, topic_id)
            key = topic.name, topic.topic_id
            if disabled:
                raise BrokerError(ErrorCode.REQUEST_TIMED_OUT, "deleting topics is disabled")
            if (topic.name, NO_UUID) in times and (None, topic.topic_id) in times:
                raise BrokerError(
                    ErrorCode.INVALID_REQUEST, "the request names the topic by name and by id"
                )
            quota.take(len(topic.partitions))
            wanted.append(topic)
        except KafkaError as error:
            code, why = error.code, error.why
        answers[key] = DeletableTopicResult(
            name=key[0], topic_id=key[1], error_code=code, error_message=why
        )
        yield
    failed: dict[str, KafkaError] = {}
    if broker.member is None:
        yield from broker.topics.deletions.in_steps(wanted, failed)
    else:
        yield from begin_deletion(broker, wanted, failed)
        names = [topic.name for topic in wanted if topic.name not in failed]
        yield until_deleted(broker, names, request.timeout_ms)
        still_there(broker, wanted, failed)
    for topic in wanted:
        if topic.name in failed:
            answer, reason = answers[topic.name, topic.topic_id], failed[topic.name]
            answer.error_code, answer.error_message = reason.code, reason.why
    return DeleteTopicsResponse(throttle_time_ms=quota.wait_ms, responses=list(answers.values()))


def _find(broker: Broker, name: str | None, topic_id: bytes) -> Topic:
    if (name is None) == (topic_id == NO_UUID):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "either the name or the id must be given")
    topic = broker.topics.by_id(topic_id) if name is None else broker.topics.get(name)
    if topic is None:
        code = ErrorCode.UNKNOWN_TOPIC_ID if name is None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        raise BrokerError(code, "there is no such topic")
    return topic
