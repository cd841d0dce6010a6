"""Partitions as callers name them: a topic and a number."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from barnabas.client.core.listed import mapped
from barnabas.types import TopicPartition

Where = tuple[str, int]

_Value = TypeVar("_Value")


def partitions_at(wheres: Iterable[Where]) -> list[TopicPartition]:
    """The partitions that a caller means.

    Raises:
        TypeError: it is not a list of pairs of a topic's name and a partition's number.
    """
    given: Any = wheres
    one = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
    if isinstance(given, str | bytes) or one or not isinstance(given, Iterable):
        raise TypeError(f"partitions are given in a list, as [('flights', 0)], not {given!r}")
    return [partition_at(where) for where in wheres]


def partitions_to(what: str, wheres: Mapping[Any, _Value]) -> dict[TopicPartition, _Value]:
    """The partitions that a caller means, each with what belongs to it; `what` is done to them.

    Raises:
        TypeError: it is not a mapping from such pairs.
    """
    given = mapped(what, wheres, "{('flights', 0): 100}")
    return {partition_at(where): value for where, value in given.items()}


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
