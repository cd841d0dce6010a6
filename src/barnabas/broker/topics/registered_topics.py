"""Serve topics that are already in the registry or in log directories."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from barnabas.broker.topics.found_logs import ForeignTopic, id_of, sorted_logs
from barnabas.broker.topics.topic_names import check_partition
from barnabas.broker.topics.topics import Topics
from barnabas.broker.znodes.config_znodes import encode_config
from barnabas.broker.znodes.topic_znodes import (
    CONFIGS,
    DELETIONS,
    TOPICS,
    config_of,
    decode_topic,
    encode_topic,
    written_in,
)
from barnabas.errors import BrokerError, ErrorCode, RegistryUnavailable, StorageError
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import NO_TOPIC_ID, Topic

if TYPE_CHECKING:
    from barnabas.broker.topics.kraft_metadata import RecordedTopic

log = logging.getLogger(__name__)


def host_registered(
    topics: Topics,
    logs: LogManager,
    recorded: Callable[[], Mapping[str, "RecordedTopic"]] = dict,
) -> None:
    """Read the registry, complete deletions that were begun, and host all topics.

    Logs of topics that the registry does not contain come from another broker, such as Kafka: these topics
    are taken over, with what `recorded` returns of them; it is called only if there are any.

    Raises:
        StorageError: the registry or a log cannot be read.
    """
    deleted = set(topics.registry.children(DELETIONS))
    written = written_in(topics.registry)
    found, foreign = sorted_logs(logs, written, deleted)
    topics.deletions.end(*deleted)
    for name in written.configs.keys() - written.topics.keys() - foreign.keys():
        # The broker was killed before it wrote their topic.
        topics.registry.delete(f"{CONFIGS}/{name}")
    for name in sorted(written.topics.keys() - deleted, key=lambda one: (one not in found, one)):
        data, there = written.topics[name], found.get(name, [])
        if data:
            topic = decode_topic(name, data, written.config_of(name))
            if there or _may_be_made(topics, topic):
                with suppress(StorageError):  # The log says which partitions have none.
                    topics.host(_identified(topics, topic, there))
    known_of = recorded() if foreign else {}
    for name, brought in foreign.items():
        kept = written.config_of(name)
        _take_over(topics, ForeignTopic(name, brought, known_of.get(name), kept))


def take_up(topics: Topics, name: str) -> None:
    """Host a topic that a tool or another broker has written into the registry.

    Raises:
        BrokerError: the name is invalid, or the node cannot be read.
        StorageError: the registry fails, or a log cannot be created.
    """
    data = topics.registry.get(f"{TOPICS}/{name}")
    if data is None or not data[0] or name in topics.deletions:
        return
    try:
        config = config_of(topics.registry, name)
        topic = decode_topic(name, data[0], config)
    except RegistryUnavailable:
        raise
    except StorageError as error:
        raise BrokerError(ErrorCode.INVALID_REQUEST, str(error)) from error
    _check_written(topics, topic)
    topics.check_config(config, config)
    topic = _identified(topics, topic, [])
    topics.host(topic)
    topics.notify(topic.topic_id)
    log.info(
        "topic found in the registry", extra={"topic": name, "partitions": len(topic.partitions)}
    )


def _check_written(topics: Topics, topic: Topic) -> None:
    """Check a topic that others wrote like one created here. Raises BrokerError: it is invalid."""
    topics.names.check_new(topic.name)
    for index in (min(topic.partitions, default=0), max(topic.partitions, default=0)):
        check_partition(topic.name, index)


def _may_be_made(topics: Topics, topic: Topic) -> bool:
    try:
        _check_written(topics, topic)
    except BrokerError as error:
        what = "topic in the registry has no log, can get none and is not served"
        log.error(what, extra={"topic": topic.name, "error": error})  # noqa: TRY400 - it says why
        return False
    return True


def _identified(topics: Topics, topic: Topic, found: list[PartitionLog]) -> Topic:
    """Return the topic with an id: its own, that of its logs, or a new one."""
    if topic.topic_id != NO_TOPIC_ID:
        return topic
    topic = topic._replace(topic_id=id_of(found) or topics.entropy.uuid())
    topics.registry.set(f"{TOPICS}/{topic.name}", encode_topic(topic))
    return topic


def _take_over(topics: Topics, foreign: ForeignTopic) -> None:
    # Imported late: a broker starts faster without it.
    from barnabas.broker.topics.foreign_logs import foreign_topic, report_taken_over

    name, topic_id = foreign.name, id_of(foreign.found) or topics.entropy.uuid()
    ours = topic_id, topics.hosting.lost_indexes(name, topic_id), topics.config
    topic = foreign_topic(foreign, *ours, lambda own: topics.check_config(own, own))
    topics.registry.set(f"{CONFIGS}/{name}", encode_config(topic.config))
    topics.registry.create(f"{TOPICS}/{name}", encode_topic(topic))
    topics.host(topic)
    topics.hosting.configure({name: topic.config})
    report_taken_over(topic, topics.names.colliding(name))
