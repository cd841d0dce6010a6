"""The partitions of each consumer in a group: every consumer computes the same result. Pure.

Source: seed 000 "Rebalancing"; Kafka 0.7.2 sorts both lists as text, so "0-10" comes before "0-2".
All members of a group must sort alike, so this does too.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class BrokerPartition(NamedTuple):
    """One partition of a topic on one broker. In 0.7 each broker numbers its own partitions."""

    broker: int
    partition: int

    def __str__(self) -> str:
        return f"{self.broker}-{self.partition}"


def share_of(
    thread: str, threads: Iterable[str], partitions: Iterable[BrokerPartition]
) -> Sequence[BrokerPartition]:
    """The chunk of a topic's partitions that one consumer thread reads; may be empty.

    It is also empty for a thread that is not in `threads`.

    Sorted partitions are split in the order of sorted threads, the extra ones go to the first
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
