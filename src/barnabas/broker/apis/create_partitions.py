"""CreatePartitions (key 37): bring topics to more partitions (KIP-195).

Does: a new total, with or without the brokers of each new partition; `validate_only`. Topics
    that would take the request past 10,000 new partitions are refused, with POLICY_VIOLATION where
    Kafka has UNKNOWN_SERVER_ERROR.
Ignores: `timeout_ms`: partitions are made before the answer.
Versions: 2 flexible · 3 refused when a quota is used up (KIP-599)
"""

from collections import Counter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.cluster_topics import live_brokers, place_partitions
from barnabas.broker.requests.mutations import Mutations
from barnabas.broker.topics.assignments import check_total, explicit_assignment
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from barnabas.versions import VersionTable
from barnabas.wire.growing import GrowingArray

_STRICT = VersionTable({0: False, 3: True})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: CreatePartitionsRequest
) -> Steps[CreatePartitionsResponse]:
    """Enlarge each topic that can be enlarged; say why the others cannot."""
    return (yield from broker.registry_calls.in_turn(_enlarged(broker, context, request)))


def _enlarged(
    broker: Broker, context: RequestContext, request: CreatePartitionsRequest
) -> Steps[CreatePartitionsResponse]:
    quota = Mutations(broker, context, strict=_STRICT[context.api_version])
    results: GrowingArray[CreatePartitionsTopicResult] = GrowingArray()
    times = Counter(topic.name for topic in request.topics)
    total = 0
    for topic in {topic.name: topic for topic in request.topics}.values():
        code, why = ErrorCode.NONE, None
        try:
            if times[topic.name] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the request names the topic twice")
            added = _added(broker, topic, total)
            total += len(added)
            if not request.validate_only:
                quota.take(len(added))
                yield from broker.topics.add_partitions_in_steps(topic.name, added)
        except KafkaError as error:
            code, why = error.code, error.why
        results.add(
            CreatePartitionsTopicResult(name=topic.name, error_code=code, error_message=why)
        )
        yield results
    return CreatePartitionsResponse(throttle_time_ms=quota.wait_ms, results=results.done())


def _added(broker: Broker, asked: CreatePartitionsTopic, before: int) -> dict[int, list[int]]:
    """The new partitions, of a request that makes `before` others."""
    topic = broker.topics.get(asked.name)
    if topic is None:
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {asked.name}")
    there = len(topic.partitions)
    if asked.count <= there:
        raise BrokerError(
            ErrorCode.INVALID_PARTITIONS,
            f"topic {asked.name} has {there} {'partition' if there == 1 else 'partitions'} already; "
            f"{asked.count} would not be more",
        )
    check_total(before + asked.count - there)
    if asked.assignments is None:
        first = topic.partitions.get(0, [broker.config.node_id])
        return place_partitions(broker, range(there, asked.count), len(first), first)
    if len(asked.assignments) != asked.count - there:
        raise BrokerError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{asked.count - there} new partitions, but {len(asked.assignments)} assignments",
        )
    assignment = {there + nth: one.broker_ids for nth, one in enumerate(asked.assignments)}
    return explicit_assignment(assignment, there, live_brokers(broker))
