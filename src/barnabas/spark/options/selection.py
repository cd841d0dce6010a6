"""The partitions that a query reads: those of given topics or of matching topics, or given ones."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from barnabas.spark.errors import OptionError
from barnabas.spark.options.java_patterns import python_pattern
from barnabas.spark.options.option_values import Options, parse_json
from barnabas.types import TopicPartition

NAMES = ("subscribe", "subscribePattern", "assign")


@dataclass(frozen=True, slots=True)
class Topics:
    """All partitions of these topics, including partitions added later."""

    names: frozenset[str]

    def matching(self, existing: Iterable[str]) -> set[str]:
        """Those of `existing` that are selected."""
        return set(existing) & self.names


@dataclass(frozen=True, slots=True)
class Pattern:
    """All partitions of all topics whose whole name matches, including topics created later."""

    pattern: str

    def matching(self, existing: Iterable[str]) -> set[str]:
        """The selected topics among `existing`; internal topics are never selected."""
        compiled = re.compile(self.pattern)
        return {name for name in existing if compiled.fullmatch(name)}


@dataclass(frozen=True, slots=True)
class Partitions:
    """Exactly these partitions."""

    partitions: frozenset[TopicPartition]

    def matching(self, existing: Iterable[str]) -> set[str]:
        """Those of `existing` that are selected."""
        return {each.topic for each in self.partitions}.intersection(existing)


Selection = Topics | Pattern | Partitions


def read_selection(options: Options) -> Selection:
    """The selection from `subscribe`, `subscribePattern` or `assign`.

    Raises:
        OptionError: none or several of the three are given, or the value selects nothing.
    """
    given = options.given(NAMES)
    if not given:
        raise OptionError("subscribe", f"give exactly one of {', '.join(NAMES)}")
    if len(given) > 1:
        raise OptionError(given[1], f"cannot be together with '{given[0]}'; give only one of them")
    name = given[0]
    value = options.text(name) or ""
    if name == "subscribe":
        topics = frozenset(part.strip() for part in value.split(",") if part.strip())
        if not topics:
            raise OptionError(name, f"names no topic in '{value}'; write topic1,topic2")
        return Topics(topics)
    if name == "subscribePattern":
        return Pattern(_checked_pattern(value))
    return Partitions(_assigned(value))


def _checked_pattern(value: str) -> str:
    if not value:
        raise OptionError("subscribePattern", "is empty; write a regular expression")
    try:
        return python_pattern(value)
    except (re.error, ValueError) as problem:
        raise OptionError("subscribePattern", f"'{value}' is not a pattern: {problem}") from None


def _assigned(value: str) -> frozenset[TopicPartition]:
    wanted = f'must be like {{"topicA":[0,1],"topicB":[2]}}, not {value}'
    parsed = parse_json("assign", value, wanted)
    if not isinstance(parsed, dict) or not parsed:
        raise OptionError("assign", wanted)
    found: set[TopicPartition] = set()
    for topic, indexes in parsed.items():
        if not isinstance(indexes, list):
            raise OptionError("assign", wanted)
        for index in indexes:
            if not isinstance(index, int) or isinstance(index, bool) or index < 0:
                raise OptionError("assign", wanted)
            found.add(TopicPartition(topic, index))
    if not found:
        raise OptionError("assign", wanted)
    return frozenset(found)
