"""Offsets by partition in the notation of Spark's Kafka source, and the start and end of a query.

No broker is needed: `resolving` turns positions into offsets.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import Options, parse_json
from barnabas.types import TopicPartition

EARLIEST = -2
LATEST = -1

OffsetMap = dict[TopicPartition, int]
"""The next offset of each partition."""

OffsetJson = dict[str, dict[str, int]]
"""The same as `{"topic": {"0": 123, "1": 456}}`: checkpoints, progress and options."""


@dataclass(frozen=True, slots=True)
class AllPartitions:
    """The same end of every partition: EARLIEST or LATEST."""

    end: int


@dataclass(frozen=True, slots=True)
class AtOffsets:
    """An offset for each partition; it may be EARLIEST or LATEST."""

    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class AtTime:
    """The first record of every partition at or after a timestamp (milliseconds)."""

    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class AtTimes:
    """The first record at or after a timestamp (milliseconds) of its own for each partition."""

    timestamps_ms: Mapping[TopicPartition, int]


Position = AllPartitions | AtOffsets | AtTime | AtTimes


def offsets_to_json(offsets: Mapping[TopicPartition, int]) -> OffsetJson:
    """Spark's notation, sorted by topic and by partition number."""
    result: OffsetJson = {}
    for topic, partition in sorted(offsets):
        result.setdefault(topic, {})[str(partition)] = offsets[TopicPartition(topic, partition)]
    return result


def offsets_from_json(parsed: Mapping[str, Mapping[str, int]]) -> OffsetMap:
    """Read Spark's notation."""
    return {
        TopicPartition(topic, int(partition)): offset
        for topic, partitions in parsed.items()
        for partition, offset in partitions.items()
    }


def read_position(options: Options, side: str, *, default: int) -> Position:
    """The position from `<side>Timestamp`, `<side>OffsetsByTimestamp` or `<side>Offsets`.

    If several are given, the first one counts, in this order, as with Spark's own source.

    Args:
        options: those of the user.
        side: "starting" or "ending".
        default: EARLIEST or LATEST, if none of the three is given.

    Raises:
        OptionError: a value is not a position.
    """
    at_time, at_times, offsets = f"{side}Timestamp", f"{side}OffsetsByTimestamp", f"{side}Offsets"
    given = options.given((at_time, at_times, offsets))
    if not given:
        return AllPartitions(default)
    if given[0] == at_time:
        timestamp = options.integer(at_time, least=0)
        assert timestamp is not None
        return AtTime(timestamp)
    value = options.text(given[0]) or ""
    if given[0] == at_times:
        return AtTimes(_per_partition(at_times, value, least=0))
    word = value.lower()
    if word in {"earliest", "latest"}:
        return AllPartitions(EARLIEST if word == "earliest" else LATEST)
    return AtOffsets(_per_partition(offsets, value, least=EARLIEST))


def _per_partition(name: str, value: str, *, least: int) -> OffsetMap:
    wanted = f'must be like {{"topicA":{{"0":23,"1":42}},"topicB":{{"0":7}}}}, not {value}'
    if name.endswith("Offsets"):
        wanted += "; or earliest or latest; -2 in the map is earliest, -1 is latest"
    parsed = parse_json(name, value, wanted)
    if not isinstance(parsed, dict) or not all(isinstance(each, dict) for each in parsed.values()):
        raise OptionError(name, wanted)
    found: OffsetMap = {}
    for topic, partitions in parsed.items():
        for partition, number in partitions.items():
            whole = isinstance(number, int) and not isinstance(number, bool)
            if not partition.isdecimal() or not whole or not least <= number < 2**63:
                raise OptionError(name, wanted)
            where = TopicPartition(topic, int(partition))
            if where in found:
                raise OptionError(
                    name, f"has partition {where.partition} of {topic} twice; keep one"
                )
            found[where] = number
    if not found:
        raise OptionError(name, wanted)
    return found
