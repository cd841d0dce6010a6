"""Topics made on first use, with the broker's defaults (`auto.create.topics.enable`)."""

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from barnabas.broker.broker import Broker
from barnabas.broker.requests.cluster_topics import place_partitions
from barnabas.broker.topics.assignments import check_total
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS, OFFSETS_TOPIC, SHARES_TOPIC
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.types import RequestedTopic, Topic

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember

log = logging.getLogger(__name__)

_REPLICAS = ErrorCode.INVALID_REPLICATION_FACTOR


def create_in_steps(
    broker: Broker, names: Iterable[str], outcomes: dict[str, Topic | ErrorCode]
) -> Iterator[None]:
    """Create the missing topics, a few partitions a step.

    `outcomes` receives each topic, or the code for the client if it cannot be created.
    """
    for name in names:
        if broker.topics.get(name) is not None:
            continue
        made: dict[str, Topic | KafkaError] = {}
        try:
            if name in INTERNAL_TOPICS:
                made[name] = _create_internal(broker, name)
            else:
                wanted = _checked(broker, name)
                yield from broker.topics.create_all_in_steps([wanted], made)
        except (BrokerError, StorageError) as error:
            made[name] = error
        outcomes[name] = _outcome(name, made[name])
        yield


def ask_for_topics(broker: Broker, member: "ClusterMember", names: Iterable[str]) -> None:
    """Have the controller of a cluster make those of the topics whose names may be."""
    count, replicas = broker.config.num_partitions, broker.config.default_replication_factor
    for name in names:
        if not problem_of_name(name):
            wanted = RequestedTopic(name, {index: [] for index in range(count)}, {})
            member.to_controller.ask_for_topic(wanted, replicas)


def _checked(broker: Broker, name: str) -> RequestedTopic:
    count, replicas = broker.config.num_partitions, broker.config.default_replication_factor
    check_total(count)
    partitions = place_partitions(broker, range(count), replicas)
    broker.topics.check_new(name, {})
    return RequestedTopic(name, partitions, {})


def _outcome(name: str, made: Topic | KafkaError) -> Topic | ErrorCode:
    if not isinstance(made, KafkaError):
        return made
    if made.code is ErrorCode.TOPIC_ALREADY_EXISTS:
        # Another request is making it, perhaps on a slow disk: clients ask again.
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    log.warning("topic not created", extra={"topic": name, "error": made})
    # Time does not cure it; all else may be tried again.
    return _REPLICAS if made.code is _REPLICAS else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _create_internal(broker: Broker, name: str) -> Topic:
    """As its coordinator would make it: with other defaults it would lose what is kept there."""
    if name == OFFSETS_TOPIC:
        broker.groups.prepare()
    elif name == SHARES_TOPIC:
        broker.shares.partitions.prepare()
    else:
        broker.transactions.prepare()
    made = broker.topics.get(name)
    assert made is not None, "it was prepared"
    return made
