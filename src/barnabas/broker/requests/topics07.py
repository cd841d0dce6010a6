"""Topics for clients of Kafka 0.7: created by the first write, with the configured number of partitions.

`topic.partition.count.map`, or else `num.partitions`, decides how many. A topic gets all of them at
once, and keeps their number: modern clients need numbers without a gap. Source: seed 000 "Ground
Rules", "Creating New Topics"; Kafka 0.7.2's LogManager.getOrCreateLog, getLogPool, whose configuration
applies to old topics as well.
"""

import logging

from barnabas.broker.broker import Broker
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.topics.assignments import MOST_AT_ONCE
from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.dialects.kafka07.messages import ANY_PARTITION
from barnabas.errors import BrokerError, ErrorCode, StorageError

log = logging.getLogger(__name__)

FORMAT_07 = {"message.format.version": "0.7"}
"""What makes offsets of a topic byte positions."""

_WRONG_PARTITION = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def to_read(broker: Broker, topic: str, index: int) -> Partition | ErrorCode | None:
    """The partition; None if there is nothing in it yet, and the code if there cannot be one."""
    partition = broker.replicas.find(topic, index)
    if partition is not None:
        return partition if partition.log.config.byte_positions else _WRONG_PARTITION
    if _cannot_be(broker, topic):
        return ErrorCode.UNKNOWN_SERVER_ERROR
    if not 0 <= index < count_of(broker, topic) or _is_dense(broker, topic):
        return _WRONG_PARTITION
    return None


def to_write(broker: Broker, topic: str, index: int) -> Partition | ErrorCode:
    """The partition, made if need be; or the code of why not."""
    if topic in INTERNAL_TOPICS:
        # What coordinators keep has keys, for which 0.7's format has no place.
        return _WRONG_PARTITION
    if index == ANY_PARTITION:
        index = broker.entropy.below(count_of(broker, topic))
    if broker.replicas.find(topic, index) is None and _cannot_be(broker, topic):
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    found = to_read(broker, topic, index)
    if found is not None:
        return found
    try:
        _make(broker, topic, index)
    except (BrokerError, StorageError) as error:
        log.warning("partition not created", extra={"topic": topic, "error": error})
        return ErrorCode.UNKNOWN_SERVER_ERROR
    # Requests that wait for it may look again.
    broker.purgatory.happened((topic, index), -1)
    made = broker.replicas.find(topic, index)
    return _WRONG_PARTITION if made is None else made


def _make(broker: Broker, topic: str, index: int) -> None:
    here = [broker.config.node_id]
    if broker.topics.get(topic) is not None:
        # It is being made, a few partitions at a time, and this one is wanted already.
        broker.topics.add_partitions(topic, {index: here})
        return
    broker.topics.create(topic, dict.fromkeys(range(count_of(broker, topic)), here), FORMAT_07)


def count_of(broker: Broker, topic: str) -> int:
    """How many partitions a topic has, or would have: those that clients of 0.7 can use."""
    known = broker.topics.get(topic)
    if known is None:
        return broker.config.partitions_of_new(topic, broker.config.num_partitions)
    return len(known.partitions)


def fill_holes(topics: Topics, node_id: int) -> None:
    """Give topics of 0.7's format the partitions between those they have, which some build left out."""
    for topic in topics:
        missing = set(range(max(topic.partitions, default=0))) - topic.partitions.keys()
        is_old = topic.config.get("message.format.version") == FORMAT_07["message.format.version"]
        # What is written into a registry by hand may say any number.
        if is_old and 0 < len(missing) <= MOST_AT_ONCE:
            log.warning(
                "missing partitions of a topic are created empty",
                extra={"topic": topic.name, "partitions": sorted(missing)},
            )
            added = {index: [node_id] for index in sorted(missing)}
            topics.add_partitions(topic.name, added)


def _cannot_be(broker: Broker, topic: str) -> bool:
    """Whether there is and can be no topic of that name. 0.7 left some that nobody can make today."""
    if broker.topics.get(topic) is not None:
        return False
    try:
        broker.topics.names.check_new(topic)
    except BrokerError:
        return True
    return False


def _is_dense(broker: Broker, topic: str) -> bool:
    """Whether the topic is there, and not of Kafka 0.7's format."""
    known = broker.topics.get(topic)
    if known is None:
        return False
    found = (broker.replicas.find(topic, index) for index in known.partitions)
    return any(one is not None and not one.log.config.byte_positions for one in found)
