"""Slow rolls: a new segment takes some files, and begins with a snapshot of up to 20,000 producers.

That snapshot takes some 10 ms, where a batch takes one: a roll of many producers counts as a slow
request. Any roll takes about 1 ms, and a request may have 10,000 of them: it is handled in steps. Of a topic
whose segments are tiny each request may roll, and hundreds of connections send some at the same time: one that
rolls counts as slow, too.
"""

from collections.abc import Iterable

from barnabas.broker.replicas.partition import Partition
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.protocol.produce import PartitionProduceResponse

MANY_PRODUCERS = 1_000
"""From so many on a snapshot takes longer than a usual batch."""

ROLLS_IN_STEP = 8
"""How many segments one step of a request begins: for some 10 ms."""


def rolled(partition: Partition, answer: PartitionProduceResponse) -> bool:
    """Whether the batch of this answer began a segment."""
    return partition.log.snapshot_offset == answer.base_offset > 0


def rolled_slowly(partition: Partition, answer: PartitionProduceResponse) -> bool:
    """Whether the batch of this answer began a segment, of which more may come, or with many producers."""
    return rolled(partition, answer) and _rolls_slowly(partition.log)


def may_append_slowly(partitions: Iterable[Partition]) -> bool:
    """Whether what is appended to one of these may begin such a segment, or is compressed again."""
    logs = [partition.log for partition in partitions]
    return any(log.config.stored or _rolls_slowly(log) for log in logs)


def _rolls_slowly(log: PartitionLog) -> bool:
    return log.config.rolls_often or len(log.producers) >= MANY_PRODUCERS
