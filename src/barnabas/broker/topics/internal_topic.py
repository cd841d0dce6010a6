"""Internal topics: created when they are first needed."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.topics.assignments import check_total, placed
from barnabas.broker.topics.topics import Topics
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.types import RequestedTopic, Topic


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


def make_topic_in_steps(topics: Topics, wanted: InternalTopic) -> Steps[None]:
    """Like `make_topic`, written beside the loop: for a handler that can wait."""
    outcomes: dict[str, Topic | KafkaError] = {}
    if topics.get(wanted.name) is None and not topics.are_shared:
        try:
            check_total(wanted.partitions)
            replicas = placed(range(wanted.partitions), 1, wanted.node_id)
            topics.check_new(wanted.name, wanted.properties)
        except BrokerError as error:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
        one = RequestedTopic(wanted.name, replicas, wanted.properties)
        yield from topics.create_all_in_steps([one], outcomes)
    made = outcomes.get(wanted.name)
    if isinstance(made, KafkaError):
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(made)) from made
    make_topic(topics, wanted)


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
