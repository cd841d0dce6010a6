"""Internal topics: created when they are first needed."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.topics.assignments import check_total, placed
from barnabas.broker.topics.topics import Topics
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.types import RequestedTopic


class InternalTopic(NamedTuple):
    """Its name and what it is made with, all of it on one node."""

    name: str
    partitions: int
    properties: Mapping[str, str]
    node_id: int

    @classmethod
    def compacted(
        cls,
        name: str,
        partitions: int,
        segment_bytes: int,
        node_id: int,
        compression: str = "producer",
    ) -> "InternalTopic":
        """A compacted topic, whose segments have `segment_bytes`."""
        properties = {
            "cleanup.policy": "compact",
            "compression.type": compression,
            "segment.bytes": str(segment_bytes),
        }
        return cls(name, partitions, properties, node_id)


def make_topic(topics: Topics, wanted: InternalTopic) -> None:
    """Create the topic if it does not exist.

    Raises:
        BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be created, or not yet.
    """
    if topics.get(wanted.name) is not None:
        return
    of_nobody: dict[int, list[int]] = {index: [] for index in range(wanted.partitions)}
    if topics.asks_for(RequestedTopic(wanted.name, of_nobody, wanted.properties)):
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{wanted.name} is being created")
    try:
        check_total(wanted.partitions)
        replicas = placed(range(wanted.partitions), 1, wanted.node_id)
        topics.create(wanted.name, replicas, wanted.properties)
    except (BrokerError, StorageError) as error:
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
