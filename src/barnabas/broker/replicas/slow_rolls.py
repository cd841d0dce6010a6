"""Slow rolls: a new segment begins with a snapshot of up to 20,000 producers.

That takes some 10 ms, where a batch takes one: a roll of many producers counts as a slow request.
"""

from collections.abc import Iterable

from barnabas.broker.replicas.partition import Partition
from barnabas.protocol.produce import PartitionProduceResponse

MANY_PRODUCERS = 1_000
"""From so many on a snapshot takes longer than a usual batch."""


def rolled_slowly(partition: Partition, answer: PartitionProduceResponse) -> bool:
    """Whether the batch of this answer began a segment of a partition with many producers."""
    log = partition.log
    return log.snapshot_offset == answer.base_offset and len(log.producers) >= MANY_PRODUCERS


def may_append_slowly(partitions: Iterable[Partition]) -> bool:
    """Whether what is appended to one of these may begin such a segment, or is compressed anew."""
    logs = [partition.log for partition in partitions]
    return any(len(log.producers) >= MANY_PRODUCERS or log.config.stored for log in logs)
