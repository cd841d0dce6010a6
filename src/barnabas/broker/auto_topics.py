"""Topics made on first use, with the broker's defaults (`auto.create.topics.enable`)."""

import logging

from barnabas.broker.broker import Broker
from barnabas.broker.topic_znodes import Topic
from barnabas.errors import BrokerError, StorageError

log = logging.getLogger(__name__)


def create_missing(broker: Broker, name: str) -> Topic | None:
    """Make a topic that a client asked for; None if that cannot be."""
    node_id = broker.config.node_id
    partitions = {index: [node_id] for index in range(broker.config.num_partitions)}
    try:
        return broker.topics.create(name, partitions, {})
    except (BrokerError, StorageError) as error:
        log.warning("topic not created", extra={"topic": name, "error": error})
        return None
