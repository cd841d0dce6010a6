"""Topics made on first use, with the broker's defaults (`auto.create.topics.enable`)."""

import logging

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.broker import Broker
from barnabas.broker.internal_names import INTERNAL_TOPICS, OFFSETS_TOPIC, SHARES_TOPIC
from barnabas.broker.topic_znodes import Topic
from barnabas.errors import BrokerError, ErrorCode, StorageError

log = logging.getLogger(__name__)

_REPLICAS = ErrorCode.INVALID_REPLICATION_FACTOR


def create_missing(broker: Broker, name: str) -> Topic | ErrorCode:
    """Make a topic that a client asked for; if that cannot be, what the client is told."""
    count, replicas = broker.config.num_partitions, broker.config.default_replication_factor
    try:
        if name in INTERNAL_TOPICS:
            return _create_internal(broker, name)
        check_total(count)
        partitions = placed(range(count), replicas, broker.config.node_id)
        return broker.topics.create(name, partitions, {})
    except (BrokerError, StorageError) as error:
        log.warning("topic not created", extra={"topic": name, "error": error})
        # Time does not cure it; all else may be tried again.
        return _REPLICAS if error.code is _REPLICAS else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


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
