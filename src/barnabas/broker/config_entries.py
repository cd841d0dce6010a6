"""Properties in force, with every place that could give them their value. Knows no protocol."""

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.config.definition import Setting
from barnabas.config.topic import TopicConfig, broker_wide


class Source(IntEnum):
    """Where a value comes from. The numbers are those of DescribeConfigs."""

    TOPIC = 1
    BROKER = 4
    DEFAULT = 5


class Origin(NamedTuple):
    """One place: the property's name there, and its value as text."""

    name: str
    value: str | None
    source: Source


class ConfigEntry(NamedTuple):
    """One property. The first origin is the one in force."""

    row: Setting
    read_only: bool
    origins: tuple[Origin, ...]

    @property
    def synonyms(self) -> list[Origin]:
        """The origins as clients are told of them: a broker's property without a default is none.

        Source: Kafka 4 ServerTopicConfigSynonyms and the defaults of its broker properties.
        """
        return [
            one
            for one in self.origins
            if one.source is not Source.DEFAULT or one.name not in _WITHOUT_DEFAULT
        ]


_WITHOUT_DEFAULT = frozenset(
    {
        "log.flush.interval.ms",
        "log.retention.ms",
        "log.roll.jitter.ms",
        "log.roll.ms",
        "leader.replication.throttled.replicas",
        "follower.replication.throttled.replicas",
    }
)


def topic_entries(own: Mapping[str, str], broker: BrokerConfig) -> Iterator[ConfigEntry]:
    """All properties of a topic that has `own` ones; what is not among them the broker decides.

    Those that the broker's release does not have are left out, unless they are set.
    """
    mine = {row.name: row.parse(value) for row, value in _rows(own)}
    everywhere = broker_wide(broker)
    defaults = TopicConfig.load({}, release=broker.release)
    for row in TopicConfig.settings().values():
        origins = []
        if row.name in mine:
            origins.append(Origin(row.name, row.render(mine[row.name]), Source.TOPIC))
        if row.name in everywhere:
            name, value = everywhere[row.name]
            origins.append(Origin(name, row.render(value), Source.BROKER))
        if not origins and not row.is_of(broker.release):
            continue
        default = row.render(defaults.default_of(row))
        origins.append(Origin(row.synonym or row.name, default, Source.DEFAULT))
        yield ConfigEntry(row, read_only=False, origins=tuple(origins))


def broker_entries(config: BrokerConfig) -> Iterator[ConfigEntry]:
    """All properties of a broker. None can be changed while it runs."""
    for row in BrokerConfig.settings().values():
        origins = []
        given = config.source_of(row.name)
        if given is not None:
            origins.append(Origin(given[0], row.render(given[1]), Source.BROKER))
        if not origins and not row.is_of(config.release):
            continue
        origins.append(Origin(row.name, row.render(config.default_of(row)), Source.DEFAULT))
        yield ConfigEntry(row, read_only=True, origins=tuple(origins))


def _rows(own: Mapping[str, str]) -> Iterator[tuple[Setting, str]]:
    for name, value in own.items():
        row = TopicConfig.find(name)
        if row is not None:
            yield row, value
