"""The acknowledgements of one request by partition, and when all of them are stored.

ShareFetch and ShareAcknowledge say them alike. One may acknowledge 100,000 records one by one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from barnabas.broker.purgatory.latch import CodeLatch
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.shares.partitions import SharePartitions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.partition import Acknowledge, Acknowledged
from barnabas.coordinators.share_state.states import StateKey
from barnabas.errors import BrokerError, ErrorCode

Codes = dict[TopicIdPartition, ErrorCode]


class _Batch(Protocol):
    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


class _Partition(Protocol):
    partition_index: int

    @property
    def acknowledgement_batches(self) -> Sequence[_Batch]: ...


class _Topic(Protocol):
    topic_id: bytes

    @property
    def partitions(self) -> Sequence[_Partition]: ...


def acknowledgements_of(topics: Iterable[_Topic]) -> dict[TopicIdPartition, list[Acknowledged]]:
    """What a request acknowledges, by partition."""
    return {
        TopicIdPartition(bytes(topic.topic_id), one.partition_index): [
            Acknowledged(batch.first_offset, batch.last_offset, batch.acknowledge_types)
            for batch in one.acknowledgement_batches
        ]
        for topic in topics
        for one in topic.partitions
        if one.acknowledgement_batches
    }


class Acknowledger(NamedTuple):
    """The member that acknowledges, and whether it announced that it renews locks."""

    group_id: str
    member_id: str
    renews: bool


def acknowledge_all(
    partitions: SharePartitions,
    sender: Acknowledger,
    acknowledgements: dict[TopicIdPartition, list[Acknowledged]],
) -> Steps[Codes]:
    """Apply all acknowledgements, a step for each partition; the code of each when all are stored.

    A partition with a renewal that was not announced is refused as a whole.
    """
    kept = Pending()
    latch = CodeLatch(acknowledgements, kept.complete)
    for place, batches in acknowledgements.items():
        key = StateKey(sender.group_id, place)
        latch.begin(place, partial(_acknowledge, partitions, key, sender, batches))
        yield
    codes: Codes = yield kept
    return codes


def _acknowledge(
    partitions: SharePartitions,
    key: StateKey,
    sender: Acknowledger,
    batches: Sequence[Acknowledged],
    on_kept: Callable[[ErrorCode], None],
) -> None:
    live = partitions.in_hand(key)
    if not sender.renews and any(Acknowledge.RENEW in batch.kinds for batch in batches):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a renewal that was not announced")
    partitions.locks.acknowledge(live, sender.member_id, batches, on_kept)
