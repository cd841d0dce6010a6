"""Convert partitions as arguments: a topic and a number."""

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, Final, TypeVar

from barnabas.client.core.arguments.list_arguments import mapped
from barnabas.errors import InvalidArgument
from barnabas.types import TopicPartition

Where = tuple[str, int]

ALL_RECORDS: Final = -1
"""As an offset: the end, wherever that is. Source: Kafka's DeleteRecords."""

_Value = TypeVar("_Value")
_MOST: Final = 2**63 - 1


def partitions_at(wheres: Iterable[Where]) -> list[TopicPartition]:
    """Convert an argument that lists partitions.

    Raises:
        TypeError: it is not a list of pairs of topic name and partition number.
    """
    given: Any = wheres
    one = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
    if isinstance(given, str | bytes) or one or not isinstance(given, Iterable):
        raise TypeError(f"expected a list of partitions, as [('flights', 0)], not {given!r}")
    return [partition_at(where) for where in wheres]


def partitions_to(what: str, wheres: Mapping[Any, _Value]) -> dict[TopicPartition, _Value]:
    """Convert an argument that maps partitions to values; `what` names the operation.

    Raises:
        TypeError: it is not a mapping from such pairs.
    """
    given = mapped(what, wheres, "{('flights', 0): 100}")
    return {partition_at(where): value for where, value in given.items()}


def offsets_to(what: str, wheres: Mapping[Any, Any], least: int = 0) -> dict[TopicPartition, int]:
    """Like `partitions_to`, with an offset of at least `least` for each.

    Raises:
        TypeError: an offset is not a number.
        InvalidArgument: one is too low, or higher than a log can have; the message names it.
    """
    given = partitions_to(what, wheres)
    return {where: offset_at(where, offset, least) for where, offset in given.items()}


def offset_at(where: TopicPartition, offset: Any, least: int = 0) -> int:
    """Convert an offset. Errors as in `offsets_to`."""
    try:
        number = index(offset)
    except TypeError:
        raise TypeError(f"an offset must be a number, not {offset!r}") from None
    if least <= number <= _MOST:
        return number
    which = f"{least} or more" if number < least else "less than 2^63"
    raise InvalidArgument(
        f"{where.topic}-{where.partition}: an offset must be {which}, not {number}"
    )


def partition_at(where: Where) -> TopicPartition:
    """Convert a partition.

    Raises:
        TypeError: it is not a pair of topic name and partition number.
    """
    pair: Any = where
    if isinstance(pair, tuple | list) and len(pair) == 2:
        topic, partition = pair
        if isinstance(topic, str) and isinstance(partition, int):
            return TopicPartition(topic, partition)
    raise TypeError(f"a partition must be a topic and a number, as ('flights', 0), not {where!r}")
