"""Properties and partitions of topics whose logs another broker left in our directories."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence

from barnabas.broker.topics.assignments import MOST_AT_ONCE
from barnabas.broker.topics.found_logs import ForeignTopic
from barnabas.broker.topics.kraft_metadata import RecordedTopic
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS, SHARES_TOPIC
from barnabas.errors import BrokerError, StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import NO_TOPIC_ID, Topic

log = logging.getLogger(__name__)


def foreign_topic(
    foreign: ForeignTopic,
    topic_id: bytes,
    lost: Collection[int],
    broker: BrokerConfig,
    check: Callable[[Mapping[str, str]], None],
) -> Topic:
    """The topic of logs that were found, with what is known of it; `check` as for its properties.

    `lost` are its partitions that were there once and that nobody found.

    Raises:
        StorageError: too many partitions would have to be made.
    """
    name, found, recorded, kept = foreign
    ids = {one.topic_id for one in found} - {NO_TOPIC_ID}
    internal = name in INTERNAL_TOPICS
    config = config_of_foreign(recorded, name, ids, internal=internal, check=check) | {**kept}
    if any(one.config.byte_positions for one in found):
        config["message.format.version"] = "0.7"
    indexes = foreign_partitions(found, broker, lost)
    return Topic(name, topic_id, {index: [broker.node_id] for index in indexes}, config)


def config_of_foreign(
    recorded: RecordedTopic | None,
    name: str,
    ids: Collection[bytes],
    *,
    internal: bool,
    check: Callable[[Mapping[str, str]], None],
) -> dict[str, str]:
    """The properties of a topic whose logs have these `ids`: the recorded ones over safe defaults.

    The defaults of its former broker are unknown, so nothing expires until you set a retention.
    `check` raises BrokerError for properties that a topic cannot have: those are logged and omitted.
    """
    config = {"retention.bytes": "-1", "retention.ms": "-1"}
    if name == SHARES_TOPIC:
        # Of several changes since a snapshot, which a Kafka writes, compaction would keep the last.
        config["cleanup.policy"] = "delete"
    elif internal:
        config = {"cleanup.policy": "compact"}
    if recorded is None:
        return config
    if any(each != recorded.topic_id for each in ids):
        log.warning(
            "metadata log has another topic of that name: no properties taken over",
            extra={"topic": name},
        )
        return config
    for key, value in recorded.config.items():
        try:
            check({**config, key: value})
        except BrokerError as error:
            log.warning(
                "property of a topic not taken over",
                extra={"topic": name, "property": f"{key}={value}", "why": error},
            )
        else:
            config[key] = value
    return config


def foreign_partitions(
    found: Sequence[PartitionLog], config: BrokerConfig, lost: Collection[int] = ()
) -> range:
    """The partitions that a topic gets whose logs were `found`: from 0 on, without a hole.

    Kafka 0.7 makes the directory of a partition when it is first written to, so its topics get the
    others that the configuration gives them, too. Clients of today take the number of partitions for
    a count: with a hole they never come to the last ones.

    Raises:
        StorageError: too many would have to be made, as for a directory that ends in a date.
    """
    name = found[0].topic_partition.topic
    there = {one.topic_partition.partition for one in found} | {*lost}
    count = max(there) + 1
    if any(one.config.byte_positions for one in found):
        count = max(count, config.partitions_of_new(name, config.num_partitions))
    if count - len(there) > MOST_AT_ONCE:
        raise StorageError(
            f"topic {name} would get {count} partitions, as there is a directory "
            f"{name}-{max(there)}: move that away if it is no partition"
        )
    missing = sorted(set(range(count)) - there)
    if missing:
        log.warning(
            "partitions of a topic that are not there are made empty",
            extra={"topic": name, "partitions": len(missing), "first": missing[0], "of": count},
        )
    return range(count)


def report_taken_over(topic: Topic, other: str | None) -> None:
    """Log that a topic was taken over; `other` differs from it only in what metrics cannot tell apart."""
    name = topic.name
    if problem_of_name(name):
        log.warning(
            "clients of today refuse the name of a topic: `barnabas migrate` copies it to another",
            extra={"topic": name},
        )
    elif other:
        what = "two topics differ only in . and _, which metrics cannot tell apart"
        log.warning(what, extra={"topic": name, "other": other})
    properties = " ".join(f"{key}={value}" for key, value in sorted(topic.config.items()))
    taken = {"topic": name, "partitions": len(topic.partitions), "properties": properties}
    log.info("topic taken over", extra=taken)
