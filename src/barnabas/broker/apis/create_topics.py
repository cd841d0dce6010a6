"""CreateTopics (key 19): make topics with partitions and properties.

Does: counts, or the brokers of each partition; the broker's defaults for -1; `validate_only`; tells
    the properties in force (5+) and the id (7+). A request for more than 10,000 partitions is
    refused as a whole.
Ignores: `timeout_ms`: topics are made before the answer.
Versions: 1 `validate_only`, messages · 2 throttle time · 4 broker defaults as -1 (KIP-464)
    5 what was created · 6 refused when a quota is used up (KIP-599) · 7 topic ids
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from barnabas.broker.assignments import as_told, check_total, placed
from barnabas.broker.broker import Broker
from barnabas.broker.config_entries import topic_entries
from barnabas.broker.context import RequestContext
from barnabas.broker.mutations import Mutations
from barnabas.broker.purgatory import Pending
from barnabas.broker.stepping import in_steps_if_long
from barnabas.broker.topic_znodes import Topic
from barnabas.broker.topics import METADATA_TOPIC
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

_DEFAULT = -1
_STRICT = VersionTable({0: False, 6: True})


def handle(
    broker: Broker, context: RequestContext, request: CreateTopicsRequest
) -> CreateTopicsResponse | Pending:
    """Make each topic that can be made; say why the others cannot.

    What makes many partitions is done in steps, and others are served between them.
    """
    quota = Mutations(broker, context, strict=_STRICT[context.api_version])
    asked = Counter(topic.name for topic in request.topics)
    once = [topic for topic in request.topics if asked[topic.name] == 1]
    wanted = sum(_wanted(broker, topic) for topic in once)
    try:
        check_total(wanted)
    except BrokerError as error:
        refused = [_refused(name, error.code, error.why) for name in asked]
        return CreateTopicsResponse(topics=refused)
    made: list[CreatableTopicResult] = []
    steps = (
        step
        for topic in once
        for step in _create(broker, topic, made, None if request.validate_only else quota)
    )
    twice = [
        _refused(name, ErrorCode.INVALID_REQUEST, "the topic is there twice")
        for name, times in asked.items()
        if times > 1
    ]

    def respond() -> CreateTopicsResponse:
        return CreateTopicsResponse(throttle_time_ms=quota.wait_ms, topics=made + twice)

    return in_steps_if_long(broker.timers, wanted, steps, respond)


def _wanted(broker: Broker, asked: CreatableTopic) -> int:
    """How many partitions it would get; none for a count that is refused anyway."""
    if asked.assignments:
        return len(asked.assignments)
    if asked.num_partitions == _DEFAULT:
        return broker.config.num_partitions
    return max(asked.num_partitions, 0)


def _create(
    broker: Broker,
    asked: CreatableTopic,
    made: list[CreatableTopicResult],
    quota: Mutations | None,
) -> Iterator[Topic]:
    """Make a topic in steps; the last thing is to put the result into `made`.

    Without a quota to take from it is only validated.
    """
    try:
        if asked.name == METADATA_TOPIC:
            raise BrokerError(ErrorCode.INVALID_REQUEST, f"{METADATA_TOPIC} is Kafka's own")
        config = _config(asked)
        broker.topics.check_new(asked.name, config)
        partitions = _partitions(broker, asked)
        topic_id = NO_UUID
        if quota is not None:
            quota.take(len(partitions))
            for topic in broker.topics.create_in_steps(asked.name, partitions, config):
                topic_id = topic.topic_id
                yield topic
    except KafkaError as error:
        made.append(_refused(asked.name, error.code, error.why))
        return
    made.append(
        CreatableTopicResult(
            name=asked.name,
            topic_id=topic_id,
            error_code=ErrorCode.NONE,
            error_message=None,
            num_partitions=len(partitions),
            replication_factor=len(partitions[0]),
            configs=_in_force(broker, config),
        )
    )


def _refused(name: str, code: ErrorCode, why: str) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=code, error_message=why, configs=[])


def _config(asked: CreatableTopic) -> dict[str, str]:
    empty = [one.name for one in asked.configs if one.value is None]
    if empty:
        raise BrokerError(ErrorCode.INVALID_CONFIG, f"properties without a value: {empty}")
    return {one.name: one.value for one in asked.configs if one.value is not None}


def _partitions(broker: Broker, asked: CreatableTopic) -> dict[int, list[int]]:
    count, replicas = asked.num_partitions, asked.replication_factor
    if asked.assignments:
        if (count, replicas) != (_DEFAULT, _DEFAULT):
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, "with an assignment of replicas both counts must be -1"
            )
        told = {one.partition_index: one.broker_ids for one in asked.assignments}
        if len(told) < len(asked.assignments):
            raise BrokerError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT, "a partition is assigned more than once"
            )
        return as_told(told, 0, broker.config.node_id)
    if count == _DEFAULT:
        count = broker.config.num_partitions
    if replicas == _DEFAULT:
        replicas = broker.config.default_replication_factor
    if count <= 0:
        raise BrokerError(
            ErrorCode.INVALID_PARTITIONS, f"a topic has at least 1 partition, not {count}"
        )
    if replicas <= 0:
        raise BrokerError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"a replication factor is at least 1, or -1 for the broker's default, not {replicas}",
        )
    return placed(range(count), replicas, broker.config.node_id)


def _in_force(broker: Broker, config: Mapping[str, str]) -> list[CreatableTopicConfigs]:
    return [
        CreatableTopicConfigs(
            name=entry.row.name,
            value=entry.origins[0].value,
            read_only=entry.read_only,
            config_source=entry.origins[0].source,
            is_sensitive=False,
        )
        for entry in topic_entries(config, broker.settings.layers)
    ]
