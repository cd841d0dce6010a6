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
    """The topic of found logs, with its recorded properties; `check`: see `config_of`.

    `lost` are partitions that existed once and were not found.

    Raises:
        StorageError: too many partitions would have to be created.
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

    The defaults of its former broker are unknown, so no records expire until you set a retention.
    `check` raises BrokerError for invalid properties, which are logged and omitted.
    """
    config = {"retention.bytes": "-1", "retention.ms": "-1"}
    if name == SHARES_TOPIC:
        # Kafka writes a snapshot, then changes with the same key: compaction would keep only the last one.
        config["cleanup.policy"] = "delete"
    elif internal:
        config = {"cleanup.policy": "compact"}
    if recorded is None:
        return config
    if any(each != recorded.topic_id for each in ids):
        log.warning(
            "metadata log has another topic of that name: its properties are not used",
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
    """The partitions of a topic whose logs were `found`: from 0 on, without a gap.

    Kafka 0.7 creates the directory of a partition with its first message, so topics also get the partitions
    that the configuration gives them. Clients of today expect numbers without a gap: with one they would
    never read the last partitions.

    Raises:
        StorageError: too many would have to be created, as for a directory that ends in a date.
    """
    name = found[0].topic_partition.topic
    there = {one.topic_partition.partition for one in found} | {*lost}
    count = max(there) + 1
    if any(one.config.byte_positions for one in found):
        count = max(count, config.partitions_of_new(name, config.num_partitions))
    if count - len(there) > MOST_AT_ONCE:
        raise StorageError(
            f"topic {name} would get {count} partitions, because there is a directory "
            f"{name}-{max(there)}: move it away if it is not a partition"
        )
    missing = sorted(set(range(count)) - there)
    if missing:
        log.warning(
            "missing partitions of a topic are created empty",
            extra={"topic": name, "partitions": len(missing), "first": missing[0], "of": count},
        )
    return range(count)


def report_taken_over(topic: Topic, other: str | None) -> None:
    """Log that a topic was taken over; `other`: a topic whose name differs only in . and _."""
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
