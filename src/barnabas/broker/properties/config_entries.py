"""The values of properties with all their sources. Knows no protocol."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from barnabas.broker.properties.broker_settings import Layer, is_changeable
from barnabas.broker.properties.config_source import ValueSource
from barnabas.config.broker import BrokerConfig
from barnabas.config.configuration import Configuration
from barnabas.config.definition import Setting
from barnabas.config.inert_broker import inert_rows
from barnabas.config.parsing import Kind
from barnabas.config.property_history import is_of
from barnabas.config.topic import TopicConfig, broker_wide


class ConfigOrigin(NamedTuple):
    """One place: the property's name there, and its value as text."""

    name: str
    value: str | None
    source: ValueSource


class DescribedConfig(NamedTuple):
    """One property. The first origin is the one in force."""

    row: Setting
    read_only: bool
    origins: tuple[ConfigOrigin, ...]

    @property
    def is_sensitive(self) -> bool:
        """Whether its value must not be shown."""
        return self.row.kind is Kind.PASSWORD

    @property
    def synonyms(self) -> list[ConfigOrigin]:
        """The origins that responses list: a broker's property without a default is none.

        Source: Kafka 4 ServerTopicConfigSynonyms and the defaults of its broker properties.
        """
        return [
            one
            for one in self.origins
            if one.source is not ValueSource.DEFAULT
            or (one.name not in _WITHOUT_DEFAULT and one.value is not None)
        ]


_WITHOUT_DEFAULT = frozenset(
    {
        "advertised.listeners",
        "controller.listener.names",
        "log.dirs",
        "log.flush.interval.ms",
        "log.retention.ms",
        "log.roll.jitter.ms",
        "log.roll.ms",
        "node.id",
        "interval.ms",
        "match",
        "metrics",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
        "remote.storage.enable",
        "leader.replication.throttled.replicas",
        "follower.replication.throttled.replicas",
    }
)
"""Properties whose default is none, and `node.id`, which Kafka requires."""


def topic_entries(own: Mapping[str, str], layers: Sequence[Layer]) -> Iterator[DescribedConfig]:
    """All properties of a topic that has `own` ones; what is not among them the broker decides.

    Those that the broker's release does not have are left out, unless they are set.
    """
    release = layers[-1].config.release
    mine = _own(TopicConfig, own, release)
    defaults = TopicConfig.load({}, release=release)
    everywhere = [
        (source, broker_wide(config), config.elsewhere)
        for source, config in layers
        if config.given or config.elsewhere
    ]
    for row in TopicConfig.settings().values():
        origins = []
        if row.name in mine:
            origins.append(ConfigOrigin(row.name, mine[row.name], ValueSource.TOPIC))
        for source, given, elsewhere in everywhere:
            if row.name in given:
                name, value = given[row.name]
                origins.append(ConfigOrigin(name, row.render(value), source))
            elif row.synonym in elsewhere:
                origins.append(ConfigOrigin(row.synonym, elsewhere[row.synonym], source))
        if not origins and (row.internal or not row.is_of(release)):
            continue
        default = row.render(defaults.default_of(row))
        origins.append(ConfigOrigin(row.synonym or row.name, default, ValueSource.DEFAULT))
        yield DescribedConfig(row, read_only=False, origins=tuple(origins))


def broker_entries(layers: Sequence[Layer]) -> Iterator[DescribedConfig]:
    """All properties of a broker, also those that change nothing here."""
    started = layers[-1].config
    for row in BrokerConfig.settings().values():
        origins = []
        for source, config in layers:
            given = config.source_of(row.name)
            if given is not None:
                origins.append(ConfigOrigin(given[0], row.render(given[1]), source))
        if origins or (is_of(started.release, row.name) and not row.internal):
            yield _of_broker(row, origins, started)
    for name, (row, _) in inert_rows().items():
        origins = [
            ConfigOrigin(name, config.elsewhere[name], source)
            for source, config in layers
            if name in config.elsewhere
        ]
        if name == "broker.id":
            origins.append(ConfigOrigin(name, str(started.node_id), ValueSource.BROKER))
        if origins or is_of(started.release, name):
            yield _of_broker(row, origins, started)


def _of_broker(
    row: Setting, origins: Sequence[ConfigOrigin], started: BrokerConfig
) -> DescribedConfig:
    default = ConfigOrigin(row.name, row.render(started.default_of(row)), ValueSource.DEFAULT)
    read_only = not is_changeable(row.name, started.release)
    return DescribedConfig(row, read_only, (*origins, default))


def changed_entries(changed: Mapping[str, str]) -> Iterator[DescribedConfig]:
    """What was changed for every broker, and nothing else."""
    for name, value in changed.items():
        inert = inert_rows().get(name)
        row = inert.row if inert is not None else BrokerConfig.find(name)
        if row is not None:
            origin = ConfigOrigin(name, value, ValueSource.EVERY_BROKER)
            yield DescribedConfig(row, read_only=False, origins=(origin,))


def entries_of(
    kind: type[Configuration], own: Mapping[str, str], source: ValueSource, release: str
) -> Iterator[DescribedConfig]:
    """All properties of a resource that has `own` ones; the others have their defaults."""
    mine = _own(kind, own)
    for row in kind.settings().values():
        if row.name not in mine and not is_of(release, row.name):
            continue
        origins = [ConfigOrigin(row.name, mine[row.name], source)] if row.name in mine else []
        default = ConfigOrigin(
            row.synonym or row.name, row.render(row.default), ValueSource.DEFAULT
        )
        origins.append(default)
        yield DescribedConfig(row, read_only=False, origins=tuple(origins))


def _own(
    kind: type[Configuration], own: Mapping[str, str], release: str = ""
) -> dict[str, str | None]:
    """The values that a resource has itself, by the one name of each property."""
    found = {}
    for name, value in own.items():
        row = kind.find(name)
        if row is not None:
            found[row.name] = row.render(row.parse(value, release, kept=True))
    return found
