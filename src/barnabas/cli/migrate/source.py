"""The source of `barnabas migrate`: brokers, brokers found in ZooKeeper, or log directories."""

from collections.abc import Iterable

import click

from barnabas.client.core.cluster.bootstrap import parse_address
from barnabas.client.driver07.cluster import TOPICS, Address, read_brokers, read_partitions
from barnabas.client.driver07.zookeeper import open_zookeeper
from barnabas.config.driver07 import DriverConfig07
from barnabas.errors import ConfigError
from barnabas.migration.broker_source import BrokerSource
from barnabas.migration.directory_source import DirectorySource
from barnabas.migration.errors import TopicNotThere
from barnabas.migration.source import MigrationSource
from barnabas.ports import Disk, SharedRegistry

_ONE = "name the source with one of --from, --directory and --zookeeper"


def open_source(
    topic: str,
    brokers: tuple[str, ...],
    directories: tuple[str, ...],
    registry: SharedRegistry | None,
    disk: Disk,
) -> MigrationSource:
    """Open the topic at its source; ZooKeeper is used if nothing else is named.

    Raises:
        KafkaError: the topic does not exist there.
    """
    if (bool(brokers) and bool(directories)) or not (brokers or directories or registry):
        raise click.UsageError(_ONE)
    if directories:
        return DirectorySource(disk, dict(_numbered(directories)), topic)
    if brokers:
        return BrokerSource({one: _address(text) for one, text in _numbered(brokers)}, topic)
    assert registry is not None
    places = read_partitions(registry, topic)
    if not places:
        what = f"no broker has registered topic {topic} in ZooKeeper"
        raise TopicNotThere(what, registry.children(TOPICS))
    return BrokerSource(read_brokers(registry), topic, places)


def open_registry(place: str) -> SharedRegistry:
    """Open ZooKeeper; its notifications are ignored.

    Raises:
        ConfigError, RegistryUnavailable: ZooKeeper cannot be reached.
    """
    return open_zookeeper(DriverConfig07.load({"zk.connect": place}), lambda _: None)


def _numbered(given: Iterable[str]) -> Iterable[tuple[int, str]]:
    """`2=here` is broker 2; without numbers they are 0, 1, 2 ... in the given order."""
    for index, text in enumerate(given):
        number, equals, rest = text.partition("=")
        yield (int(number), rest) if equals and number.isdecimal() else (index, text)


def _address(text: str) -> Address:
    try:
        return Address(*parse_address(text))
    except ConfigError as error:
        raise click.UsageError(f"--from: {error} (2=host:port for broker 2)") from None
