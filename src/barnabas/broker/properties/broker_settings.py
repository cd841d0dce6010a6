"""BrokerSettings: a broker's static and dynamic properties.

Changes are for this broker, or for every broker of the cluster; both are durable.
Source: Kafka's dynamic broker configuration (KIP-226); the nodes are those it has in ZooKeeper.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import NamedTuple

from barnabas.broker.properties.config_source import ValueSource
from barnabas.broker.properties.log_properties import log_config
from barnabas.broker.znodes.config_znodes import CONFIGS, node_name, read_config, write_config
from barnabas.config.broker import BrokerConfig
from barnabas.config.ignored_names import BROKER_NAMES, LOUD, why_ignored
from barnabas.config.inert_broker import inert_rows
from barnabas.errors import BrokerError, ConfigError, ErrorCode, StorageError
from barnabas.ports import Registry

EVERY = ""
"""The scope of changes for every broker."""

_BROKERS = f"{CONFIGS}/brokers"

_CHANGEABLE = frozenset(
    [
        "compression.gzip.level",
        "compression.lz4.level",
        "compression.type",
        "compression.zstd.level",
        "follower.replication.throttled.rate",
        "group.consumer.assignment.interval.ms",
        "group.share.assignment.interval.ms",
        "group.streams.assignment.interval.ms",
        "leader.replication.throttled.rate",
        "log.cleaner.backoff.ms",
        "log.cleaner.dedupe.buffer.size",
        "log.cleaner.delete.retention.ms",
        "log.cleaner.io.buffer.load.factor",
        "log.cleaner.io.max.bytes.per.second",
        "log.cleaner.max.compaction.lag.ms",
        "log.cleaner.min.cleanable.ratio",
        "log.cleaner.min.compaction.lag.ms",
        "log.cleanup.policy",
        "log.flush.interval.messages",
        "log.flush.interval.ms",
        "log.index.interval.bytes",
        "log.index.size.max.bytes",
        "log.local.retention.bytes",
        "log.local.retention.ms",
        "log.message.timestamp.after.max.ms",
        "log.message.timestamp.before.max.ms",
        "log.message.timestamp.type",
        "log.preallocate",
        "log.retention.bytes",
        "log.retention.ms",
        "log.roll.jitter.ms",
        "log.roll.ms",
        "log.segment.bytes",
        "log.segment.delete.delay.ms",
        "max.connections",
        "max.connections.per.ip",
        "message.max.bytes",
        "min.insync.replicas",
        "producer.id.expiration.ms",
        "replica.alter.log.dirs.io.max.bytes.per.second",
        "transaction.partition.verification.enable",
        "unclean.leader.election.enable",
    ]
)
"""What has an effect here and can be changed while the broker runs."""


class Layer(NamedTuple):
    """Properties from one place."""

    source: ValueSource
    config: BrokerConfig


def is_changeable(name: str, release: str) -> bool:
    """Whether a property can be changed while a broker of a release runs, if only to no effect."""
    # Imported late: a broker starts faster without it.
    from barnabas.config.property_history import is_changeable_in

    if not is_changeable_in(release, name):
        return False
    if name in _CHANGEABLE:
        return True
    inert = inert_rows().get(name)
    return inert is not None and inert.changeable and why_ignored(BROKER_NAMES, name) not in LOUD


class BrokerSettings:
    """All layers, and what they come to (`current`). `on_change` is called after each change."""

    def __init__(self, started: BrokerConfig) -> None:
        self._started = started
        self._changed: Mapping[str, Mapping[str, str]] = {EVERY: {}, self._own: {}}
        self.current = started
        self.layers: tuple[Layer, ...] = (Layer(ValueSource.BROKER, started),)
        self.on_change: list[Callable[[BrokerConfig], None]] = []

    @property
    def _own(self) -> str:
        return str(self._started.node_id)

    def read(self, registry: Registry) -> Mapping[str, Mapping[str, str]]:
        """The changes that the registry has by now, for `load`.

        Raises:
            StorageError: it cannot be read.
        """
        return {scope: read_config(registry, _path(scope)) for scope in self._changed}

    def load(self, changed: Mapping[str, Mapping[str, str]]) -> None:
        """Have the changes that were read.

        Raises:
            StorageError: they cannot be.
        """
        try:
            self._adopt(changed)
        except ConfigError as error:
            raise StorageError(f"a property below {_BROKERS} cannot be: {error}") from error

    def changed(self, scope: str) -> Mapping[str, str]:
        """What was changed for this broker, by its number, or for EVERY broker."""
        return self._changed[scope]

    def check(self, scope: str, config: Mapping[str, str]) -> BrokerConfig:
        """Whether a scope could have these changes, and what all would come to.

        Raises:
            BrokerError: INVALID_REQUEST: a property cannot be changed, or not to that.
        """
        for name in config:
            if not is_changeable(name, self._started.release):
                raise BrokerError(ErrorCode.INVALID_REQUEST, _why_not(name))
        try:
            coming = _merged(self._layers({**self._changed, scope: config}))
            log_config({}, coming)
            for name, value in config.items():
                if name in inert_rows():
                    inert_rows()[name].row.parse(value)
        except ConfigError as error:
            raise BrokerError(ErrorCode.INVALID_REQUEST, str(error)) from error
        return coming

    def write(self, registry: Registry, scope: str, config: Mapping[str, str]) -> None:
        """Write changes of a scope down, which were checked, for `take`; only the registry is called.

        Raises:
            StorageError: they cannot be written; nothing is changed.
        """
        write_config(registry, _path(scope), config)

    def take(self, scope: str, config: Mapping[str, str]) -> None:
        """Have changes that are written down, in place of those that the scope had."""
        self._adopt({**self._changed, scope: config})
        self._notify()

    def load_again(self, changed: Mapping[str, Mapping[str, str]]) -> None:
        """Take up changes that another broker has written; raises as `load`."""
        before = self._changed
        self.load(changed)
        if self._changed != before:
            self._notify()

    def _notify(self) -> None:
        with ExitStack() as all_of_them:  # Also where one of them fails: what is kept is so.
            for tell in reversed(self.on_change):
                all_of_them.callback(tell, self.current)

    def _adopt(self, changed: Mapping[str, Mapping[str, str]]) -> None:
        self.layers = self._layers(changed)
        self.current = _merged(self.layers)
        self._changed = changed

    def _layers(self, changed: Mapping[str, Mapping[str, str]]) -> tuple[Layer, ...]:
        return (
            Layer(ValueSource.THIS_BROKER, self._load(changed[self._own])),
            Layer(ValueSource.EVERY_BROKER, self._load(changed[EVERY])),
            Layer(ValueSource.BROKER, self._started),
        )

    def _load(self, changed: Mapping[str, str]) -> BrokerConfig:
        return BrokerConfig.load(changed, release=self._started.release)


def _path(scope: str) -> str:
    return f"{_BROKERS}/{node_name(scope)}"


def _merged(layers: tuple[Layer, ...]) -> BrokerConfig:
    *changed, started = (layer.config for layer in layers)
    merged = started
    for config in reversed(changed):
        merged = config.over(merged)
    return merged


def _why_not(name: str) -> str:
    if BrokerConfig.find(name) is None and name not in inert_rows():
        return f"brokers have no property {name}{BrokerConfig.nearest(name)}"
    return f"{name} cannot be changed while the broker runs"
