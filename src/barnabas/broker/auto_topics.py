"""Topics made on first use, with the broker's defaults (`auto.create.topics.enable`)."""

import logging

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.broker import Broker
from barnabas.broker.topic_znodes import Topic
from barnabas.errors import BrokerError, StorageError

log = logging.getLogger(__name__)


def create_missing(broker: Broker, name: str) -> Topic | None:
    """Make a topic that a client asked for; None if that cannot be."""
    count = broker.config.num_partitions
    try:
        check_total(count)
        partitions = placed(range(count), 1, broker.config.node_id)
        return broker.topics.create(name, partitions, {})
    except (BrokerError, StorageError) as error:
        log.warning("topic not created", extra={"topic": name, "error": error})
        return None
