"""Internal topics: made when first needed, and the batches that coordinators append to them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.topics import Topics
from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.records.builder import BatchBuilder
from barnabas.records.compression import Codec

_BATCH_BYTES = (1 << 31) - 1
"""What is decided at once is one batch: it counts whole or not at all."""


class InternalTopic(NamedTuple):
    """Its name and what it is made with, all of it on one node."""

    name: str
    partitions: int
    properties: Mapping[str, str]
    node_id: int


def make_topic(topics: Topics, wanted: InternalTopic) -> None:
    """Make the topic if it is not there.

    Raises:
        BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be made.
    """
    if topics.get(wanted.name) is not None:
        return
    try:
        check_total(wanted.partitions)
        replicas = placed(range(wanted.partitions), 1, wanted.node_id)
        topics.create(wanted.name, replicas, wanted.properties)
    except (BrokerError, StorageError) as error:
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error


def batch_of(
    records: Iterable[CoordinatorRecord], now_ms: int, producer: tuple[int, int] | None = None
) -> bytearray:
    """Records as one batch, of a transaction where a producer (id, epoch) is given."""
    builder = BatchBuilder(Codec.NONE, _BATCH_BYTES)
    for key, value in records:
        builder.append(now_ms, key, value)
    if producer is None:
        return builder.build()
    return builder.build(*producer, transactional=True)
