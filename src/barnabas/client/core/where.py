"""Partitions as callers name them: a topic and a number."""

from typing import Any

from barnabas.types import TopicPartition

Where = tuple[str, int]


def partition_at(where: Where) -> TopicPartition:
    """The partition that a caller means.

    Raises:
        TypeError: it is not a pair of a topic's name and a partition's number.
    """
    pair: Any = where
    if isinstance(pair, tuple | list) and len(pair) == 2:
        topic, partition = pair
        if isinstance(topic, str) and isinstance(partition, int):
            return TopicPartition(topic, partition)
    raise TypeError(f"a partition is a topic and a number, as ('flights', 0), not {where!r}")
