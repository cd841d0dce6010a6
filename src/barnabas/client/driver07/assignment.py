"""Who of a group consumes which partitions: every consumer computes the same, alone. Pure.

Source: seed 000 "Rebalancing"; Kafka 0.7.2 sorts both lists as texts, so "0-10" comes before "0-2".
All members of a group must sort alike, so this does too.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class BrokerPartition(NamedTuple):
    """One partition of a topic on one broker. In 0.7 each broker has partitions of its own."""

    broker: int
    partition: int

    def __str__(self) -> str:
        return f"{self.broker}-{self.partition}"


def parse_broker_partition(text: str) -> BrokerPartition:
    """What `str` made.

    Raises:
        ValueError: it is none.
    """
    broker, _, partition = text.partition("-")
    return BrokerPartition(int(broker), int(partition))


def share_of(
    thread: str, threads: Iterable[str], partitions: Iterable[BrokerPartition]
) -> Sequence[BrokerPartition]:
    """The chunk of a topic's partitions that one of its consumer threads has; may be empty.

    Empty also for a thread that is not among `threads`.

    Chunks are of sorted partitions in the order of sorted threads, the extra ones for the first
    threads: 5-5-4-4, never 5-4-4-5.
    """
    ordered = sorted(set(threads))
    if thread not in ordered:
        return ()
    sorted_partitions = sorted(partitions, key=str)
    each, extra = divmod(len(sorted_partitions), len(ordered))
    place = ordered.index(thread)
    first = place * each + min(place, extra)
    return sorted_partitions[first : first + each + (place < extra)]
