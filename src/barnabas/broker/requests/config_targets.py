"""Resources with changeable properties, each with its own rules."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Protocol

from barnabas.broker.broker import Broker
from barnabas.broker.groups.limits import check_limits
from barnabas.broker.properties.broker_settings import EVERY
from barnabas.broker.properties.client_resources import KINDS
from barnabas.broker.properties.log_properties import log_config
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.properties.telemetry_match import SELECTORS
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.requests import resources
from barnabas.config.broker import BrokerConfig
from barnabas.config.configuration import Configuration
from barnabas.config.definition import Setting
from barnabas.config.inert_broker import inert_rows
from barnabas.config.property_history import is_of
from barnabas.config.topic import TopicConfig
from barnabas.coordinators.consumer_group.regexes import compiled
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import Topic


class ConfigTarget(Protocol):
    """One resource."""

    @property
    def own(self) -> Mapping[str, str]:
        """What is set for it itself."""
        ...

    def row(self, name: str) -> Setting | None:
        """The property called so, if it can be changed word by word where it is a list."""
        ...

    def inherited(self, row: Setting) -> object:
        """The value of a property that is not set for the resource itself."""
        ...

    def check(self, config: Mapping[str, str]) -> None:
        """Say why these cannot replace what is set.

        Raises:
            BrokerError: with the code that Kafka has for it.
        """
        ...

    def change(self, config: Mapping[str, str]) -> Steps[None]:
        """Replace what is set by what was checked.

        Raises:
            BrokerError: with the code that Kafka has for it.
            StorageError: it cannot be written.
        """
        ...


def target_of(
    broker: Broker, kind: int, name: str, later: dict[str, Mapping[str, str]]
) -> ConfigTarget:
    """The resource of that type and name. Properties of topics go into `later`, to be written together.

    Raises:
        BrokerError: it is not there, or cannot be changed.
    """
    match kind:
        case ResourceKind.TOPIC:
            return _TopicTarget(broker, resources.topic_of(broker, name), later)
        case ResourceKind.BROKER:
            if name != EVERY:
                resources.check_broker(broker, name)
            return _BrokerTarget(broker, name, later)
        case ResourceKind.CLIENT_METRICS | ResourceKind.GROUP:
            resources.check_name(broker, kind, name)
            return _ClientTarget(broker, kind, name)
        case _:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST,
                f"properties of resources of type {kind} cannot be changed",
            )


class _TopicTarget:
    def __init__(self, broker: Broker, topic: Topic, later: dict[str, Mapping[str, str]]) -> None:
        self._broker = broker
        self._topic = topic
        self._later = later
        self.own = topic.config

    def row(self, name: str) -> Setting | None:
        return TopicConfig.find(name)

    def inherited(self, row: Setting) -> object:
        return TopicConfig.for_topic({}, self._broker.config).value(row.name)

    def check(self, config: Mapping[str, str]) -> None:
        has_codes = self._broker.profile.tells_values
        of_values = ErrorCode.INVALID_CONFIG if has_codes else ErrorCode.INVALID_REQUEST
        self._broker.topics.check_config(config, self.own, of_values)

    def change(self, config: Mapping[str, str]) -> Steps[None]:
        self._broker.topics.check_kept(self._topic.name, config)
        self._later[self._topic.name] = config
        yield


class _BrokerTarget:
    def __init__(self, broker: Broker, scope: str, later: Mapping[str, Mapping[str, str]]) -> None:
        self._broker = broker
        self._scope = scope
        self._later = later
        self.own = broker.settings.changed(scope)

    def row(self, name: str) -> Setting | None:
        inert = inert_rows().get(name)
        return inert.row if inert is not None else BrokerConfig.find(name)

    def inherited(self, row: Setting) -> object:
        config = self._broker.config
        return row.default if BrokerConfig.find(row.name) is None else config.value(row.name)

    def check(self, config: Mapping[str, str]) -> None:
        self._check_topics(self._broker.settings.check(self._scope, config))

    def change(self, config: Mapping[str, str]) -> Steps[None]:
        broker, scope = self._broker, self._scope
        write = partial(broker.settings.write, broker.registry, scope, config)
        yield from broker.registry_calls.make(write)
        broker.settings.take(scope, config)

    def _check_topics(self, coming: BrokerConfig) -> None:
        """Check that all topics accept it: once it is written, no topic can refuse it."""
        tried: set[frozenset[tuple[str, str]]] = set()
        for topic in self._broker.topics:
            own = self._later.get(topic.name, topic.config)
            properties = frozenset(own.items())
            if properties in tried:
                continue
            tried.add(properties)
            try:
                log_config(own, coming, own)
            except ConfigError as error:
                what = f"topic {topic.name}: {error}"
                raise BrokerError(ErrorCode.INVALID_REQUEST, what) from error


class _ClientTarget:
    """A subscription to metrics, or a group: lists cannot be changed word by word, as in Kafka."""

    def __init__(self, broker: Broker, kind: int, name: str) -> None:
        self._calls = broker.registry_calls
        self._resources = broker.client_resources
        self._broker_config = broker.config
        self._kind = kind
        self._name = name
        self.own = self._resources.get(kind, name)

    def row(self, name: str) -> Setting | None:
        del name
        return None

    def inherited(self, row: Setting) -> object:
        return row.default

    def check(self, config: Mapping[str, str]) -> None:
        _check(self._kind, KINDS[self._kind], config, self._broker_config.release)
        if self._kind == ResourceKind.GROUP:
            check_limits(self._broker_config, config)

    def change(self, config: Mapping[str, str]) -> Steps[None]:
        kind, name = self._kind, self._name
        yield from self._calls.make(partial(self._resources.write, kind, name, config))
        self._resources.take(kind, name, config)


def _check(kind: int, known: type[Configuration], config: Mapping[str, str], release: str) -> None:
    of_metrics = kind == ResourceKind.CLIENT_METRICS
    for name, value in config.items():
        row = known.find(name)
        if row is None or not is_of(release, row.name):
            code = ErrorCode.INVALID_REQUEST if of_metrics else ErrorCode.INVALID_CONFIG
            raise BrokerError(code, f"there is no such property: {name}{known.nearest(name)}")
        try:
            row.parse(value)
        except ConfigError as error:
            # Kafka has one code for no number, and another for one that is out of range.
            is_number = value.lstrip("-").isdecimal()
            out_of_range = of_metrics and is_number
            code = ErrorCode.INVALID_REQUEST if out_of_range else ErrorCode.INVALID_CONFIG
            raise BrokerError(code, str(error)) from error
        if name == "match":
            _check_match(value)
        if name == "share.auto.offset.reset" and not _RESET.fullmatch(value):
            what = f"{name} is earliest, latest or by_duration: and a duration, not {value!r}"
            raise BrokerError(ErrorCode.INVALID_CONFIG, what)


_RESET = re.compile(r"earliest|latest|by_duration:P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?([\d.]+S)?)?")
"""ISO 8601, as far as Java's Duration reads it."""


def _check_match(value: str) -> None:
    for pair in value.split(","):
        selector, equals, pattern = pair.strip().partition("=")
        if pair.strip() and (not equals or selector not in SELECTORS):
            what = f"{pair!r} is not selector=pattern; there are {', '.join(sorted(SELECTORS))}"
            raise BrokerError(ErrorCode.INVALID_CONFIG, what)
        try:
            compiled(pattern.strip())
        except BrokerError as error:
            raise BrokerError(ErrorCode.INVALID_CONFIG, error.why) from error
