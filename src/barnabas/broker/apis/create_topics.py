"""CreateTopics (key 19): make topics with partitions and properties.

Does: counts, or the brokers of each partition; the broker's defaults for -1; `validate_only`; tells
    the properties in force (5+) and the id (7+). A request for more than 10,000 partitions is
    refused as a whole.
Ignores: `timeout_ms`: topics are made before the answer; in a cluster it is how long leaders are waited for.
Versions: 1 `validate_only`, messages · 2 throttle time · 4 broker defaults as -1 (KIP-464)
    5 what was created · 6 refused when a quota is used up (KIP-599) · 7 topic ids
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.config_entries import topic_entries
from barnabas.broker.purgatory.stepping import Steps, each, in_steps
from barnabas.broker.requests.cluster_topics import live_brokers, place_partitions, until_led
from barnabas.broker.requests.mutations import Mutations
from barnabas.broker.topics.assignments import check_count, check_total, explicit_assignment
from barnabas.broker.topics.topic_names import metric_name
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.types import RequestedTopic, Topic
from barnabas.versions import VersionTable
from barnabas.wire.schema import NO_UUID

_DEFAULT = -1
_TOPICS_A_WRITE = 32
_STRICT = VersionTable({0: False, 6: True})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: CreateTopicsRequest
) -> Steps[CreateTopicsResponse]:
    """Make each topic that can be made; say why the others cannot."""
    quota = Mutations(broker, context, strict=_STRICT[context.api_version])
    asked = Counter(topic.name for topic in request.topics)
    once = [topic for topic in request.topics if asked[topic.name] == 1]
    wanted = sum(_wanted(broker, topic) for topic in once)
    try:
        check_total(wanted)
    except BrokerError as error:
        refused = yield from each(asked, partial(_refused, code=error.code, why=error.why))
        return CreateTopicsResponse(topics=refused)
    answers: dict[str, CreatableTopicResult] = {}
    yield from _create(broker, once, answers, None if request.validate_only else quota)
    made = [answers[topic.name] for topic in once]
    if broker.member is not None and not request.validate_only:
        names = [one.name for one in made if not one.error_code and one.name is not None]
        yield until_led(broker, names, request.timeout_ms)
    twice = yield from each(
        [name for name, times in asked.items() if times > 1],
        partial(_refused, code=ErrorCode.INVALID_REQUEST, why="the request names the topic twice"),
    )
    return CreateTopicsResponse(throttle_time_ms=quota.wait_ms, topics=made + twice)


def _wanted(broker: Broker, asked: CreatableTopic) -> int:
    """How many partitions it would get; none for a count that is refused anyway."""
    if asked.assignments:
        return len(asked.assignments)
    if asked.num_partitions == _DEFAULT:
        return broker.config.num_partitions
    return max(asked.num_partitions, 0)


def _create(
    broker: Broker,
    asked: Sequence[CreatableTopic],
    answers: dict[str, CreatableTopicResult],
    quota: Mutations | None,
) -> Iterator[None]:
    """Make topics in steps, those that fit into one written down together, and answer each by name.

    Without a quota to take from they are only validated.
    """
    for some in _groups(asked):
        wanted: list[RequestedTopic] = []
        for one in some:
            try:
                wanted.append(_checked(broker, one, quota))
            except KafkaError as error:
                answers[one.name] = _refused(one.name, error.code, error.why)
        # Nobody else may make one of them between the check and this.
        outcomes: dict[str, Topic | KafkaError] = {}
        if quota is not None:
            yield from broker.topics.create_all_in_steps(wanted, outcomes)
        for new in wanted:
            outcome = outcomes.get(new.name)
            if isinstance(outcome, KafkaError):
                answers[new.name] = _refused(new.name, outcome.code, outcome.why)
            else:
                answers[new.name] = _made(broker, new, outcome.topic_id if outcome else NO_UUID)
            yield
        yield


def _groups(asked: Sequence[CreatableTopic]) -> Iterator[list[CreatableTopic]]:
    """As many as one write takes; each is checked against those of the groups before it.

    So those that metrics cannot tell apart are not in one.
    """
    some: dict[str, CreatableTopic] = {}
    for topic in asked:
        metric = metric_name(topic.name)
        if metric in some or len(some) == _TOPICS_A_WRITE:
            yield list(some.values())
            some = {}
        some[metric] = topic
    if some:
        yield list(some.values())


def _checked(broker: Broker, asked: CreatableTopic, quota: Mutations | None) -> RequestedTopic:
    """What is to be made of a topic.

    Raises:
        BrokerError: it cannot be made; or its client may not make more now.
    """
    config = _config(asked)
    broker.topics.check_new(asked.name, config)
    partitions = _partitions(broker, asked)
    if quota is not None:
        quota.take(len(partitions))
    return RequestedTopic(asked.name, partitions, config)


def _made(broker: Broker, wanted: RequestedTopic, topic_id: bytes) -> CreatableTopicResult:
    return CreatableTopicResult(
        name=wanted.name,
        topic_id=topic_id,
        error_code=ErrorCode.NONE,
        error_message=None,
        num_partitions=len(wanted.partitions),
        replication_factor=len(wanted.partitions[0]),
        configs=_in_force(broker, wanted.config),
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
        assignment = {one.partition_index: one.broker_ids for one in asked.assignments}
        if len(assignment) < len(asked.assignments):
            raise BrokerError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT, "a partition is assigned more than once"
            )
        return explicit_assignment(assignment, 0, live_brokers(broker))
    if count == _DEFAULT:
        count = broker.config.num_partitions
    if replicas == _DEFAULT:
        replicas = broker.config.default_replication_factor
    check_count(count)
    if replicas <= 0:
        raise BrokerError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"a replication factor is at least 1, or -1 for the broker's default, not {replicas}",
        )
    return place_partitions(broker, range(count), replicas)


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
