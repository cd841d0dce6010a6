"""ShareAcknowledging: the acknowledgements of one request, and when all of them are kept.

ShareFetch and ShareAcknowledge say them alike.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from barnabas.broker.code_collector import CodeCollector
from barnabas.broker.share_partitions import SharePartitions
from barnabas.coordinators.consumer_group.places import Place
from barnabas.coordinators.share_partition.partition import Acknowledge, Acknowledged
from barnabas.coordinators.share_state.states import StateKey
from barnabas.errors import ErrorCode

Codes = dict[Place, ErrorCode]


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


def said_of(topics: Iterable[_Topic]) -> dict[Place, list[Acknowledged]]:
    """What a request acknowledges, by partition."""
    return {
        Place(bytes(topic.topic_id), one.partition_index): [
            Acknowledged(batch.first_offset, batch.last_offset, batch.acknowledge_types)
            for batch in one.acknowledgement_batches
        ]
        for topic in topics
        for one in topic.partitions
        if one.acknowledgement_batches
    }


def renews(said: dict[Place, list[Acknowledged]]) -> bool:
    """Whether a lock is to last longer."""
    return any(Acknowledge.RENEW in batch.kinds for batches in said.values() for batch in batches)


def acknowledge_all(
    partitions: SharePartitions,
    who: tuple[str, str],
    said: dict[Place, list[Acknowledged]],
    on_done: Callable[[Codes], None],
) -> None:
    """Take in everything; `on_done` is told a code for each partition when all of it is kept."""
    group_id, member_id = who
    collector = CodeCollector(said, on_done)
    for place, batches in said.items():
        key = StateKey(group_id, place)
        collector.begin(place, partial(_acknowledge, partitions, key, member_id, batches))


def _acknowledge(
    partitions: SharePartitions,
    key: StateKey,
    member_id: str,
    batches: Sequence[Acknowledged],
    on_kept: Callable[[ErrorCode], None],
) -> None:
    partitions.acknowledge(partitions.find(key), member_id, batches, on_kept)
