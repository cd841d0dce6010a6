"""Internal topics of streams groups: made when a group lacks them."""

import logging
from collections.abc import Iterable

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.broker import Broker
from barnabas.coordinators.streams_group.configuring import NewTopic
from barnabas.errors import BrokerError, StorageError

log = logging.getLogger(__name__)


def create_missing(broker: Broker, missing: Iterable[NewTopic]) -> list[str]:
    """Make these topics; gives what is to be told of those that cannot be made."""
    failures = []
    for topic in missing:
        name = topic.said.name
        try:
            _create(broker, topic)
        except (BrokerError, StorageError) as error:
            log.warning("internal topic not created", extra={"topic": name, "error": error})
            failures.append(f"{name} ({error})")
    return failures


def _create(broker: Broker, topic: NewTopic) -> None:
    if broker.topics.get(topic.said.name) is not None:
        return  # another member's heartbeat was first
    config = {one.key: one.value for one in topic.said.topic_configs}
    # 0 means the broker's default, and below 0 does for whoever makes topics himself.
    replicas = topic.said.replication_factor
    if replicas <= 0:
        replicas = broker.config.default_replication_factor
    broker.topics.check_new(topic.said.name, config)
    check_total(topic.partitions)
    partitions = placed(range(topic.partitions), replicas, broker.config.node_id)
    broker.topics.create(topic.said.name, partitions, config)
