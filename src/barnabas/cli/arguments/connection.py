"""The options of every command that connects to a broker: its address, and client properties."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, TypeVar, cast

import click

from barnabas import Admin
from barnabas.cli.arguments.hints import DEFAULT_SERVERS, add_hint
from barnabas.cli.arguments.names import complete_properties
from barnabas.cli.arguments.usage import usage
from barnabas.cli.arguments.waiting_notice import waiting_notice
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.property_files import merge, overrides, values
from barnabas.errors import BrokerError, ConfigError, ErrorCode, KafkaError
from barnabas.types import TopicPartition

_REFUSED_MS: Final = 5000
"""A user is waiting: enough for a broker that is starting, and no longer."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def connection_options(command: _Command) -> _Command:
    """Add -b and -X; the command receives `servers` and `pairs`, and its errors get hints."""

    @wraps(command)
    def hinting(*arguments: Any, servers: str, **options: Any) -> Any:
        try:
            return command(*arguments, servers=servers, **options)
        except KafkaError as error:
            add_hint(error, servers)
            raise

    made: Callable[..., Any] = hinting
    for option in (
        click.option(
            "-X",
            "pairs",
            multiple=True,
            metavar="NAME=VALUE",
            shell_complete=complete_properties,
            help="A client property; repeatable.",
        ),
        click.option(
            "-b",
            "--bootstrap-servers",
            "servers",
            default=DEFAULT_SERVERS,
            envvar="BARNABAS_BOOTSTRAP_SERVERS",
            show_default=True,
            metavar="HOST:PORT",
            help="Brokers to start from, separated by commas. A request fails after "
            f"{_REFUSED_MS // 1000} s if none listens.",
        ),
    ):
        made = option(made)
    return cast("_Command", made)


def client_settings(servers: str, pairs: tuple[str, ...], **own: object) -> dict[str, object]:
    """Return the client's properties: the command's own, then those of -X, then the brokers' addresses."""
    with usage():
        given = merge(overrides(pairs, "-X"))
        for name, one in given.items():
            row = ProducerConfig.find(name) or ConsumerConfig.find(name)
            if row is not None:
                row.parse(one.value)
            elif not (ProducerConfig.knows(name) or ConsumerConfig.knows(name)):
                near = ProducerConfig.nearest(name) or ConsumerConfig.nearest(name)
                raise ConfigError(f"-X {name}: unknown property{near}")
        parse_addresses(servers.split(","))
    dotted = {name.replace("_", "."): value for name, value in own.items()}
    usual = {"bootstrap.refused.timeout.ms": _REFUSED_MS}
    return {**usual, **dotted, **values(given), "bootstrap.servers": servers}


def admin_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return those of another client's properties that an admin client knows.

    The other client already warns about unknown names; the admin client would repeat it.
    """
    return {name: value for name, value in settings.items() if AdminConfig.find(name)}


@contextmanager
def administering(servers: str, settings: Mapping[str, object]) -> Iterator[Admin]:
    """Open an admin client; while no broker answers, print a notice on stderr."""
    with Admin(settings) as admin, waiting_notice(servers):
        yield admin


def existing_topics(admin: Admin, names: tuple[str, ...]) -> dict[str, TopicView]:
    """Return the topics by name, at once; a client would wait for a missing one to appear.

    Raises:
        BrokerError: one of them does not exist.
    """
    known = admin.describe_topics()
    for name in names:
        if name not in known:
            what = similar_names(name, known) or "`barnabas topics list` lists the topics"
            raise BrokerError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}; {what}"
            )
    return {name: known[name] for name in names}


def existing_partitions(
    admin: Admin, places: Iterable[tuple[str, int | None]]
) -> list[TopicPartition]:
    """Return the partitions that are named, each once and in order; None stands for all of a topic.

    Raises:
        BrokerError: a topic or a partition does not exist.
    """
    wanted = [*places]
    views = existing_topics(admin, tuple({topic for topic, _ in wanted}))
    found: set[TopicPartition] = set()
    for topic, number in wanted:
        view = views[topic]
        if number is not None and view.numbered(number) is None:
            raise BrokerError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                f"there is no partition {topic}:{number}; {topic} has "
                f"{_numbers([one.partition for one in view.partitions])}",
            )
        numbers = [one.partition for one in view.partitions] if number is None else [number]
        found.update(TopicPartition(topic, one) for one in numbers)
    return sorted(found)


def _numbers(partitions: list[int]) -> str:
    if len(partitions) == 1:
        return f"partition {partitions[0]} only"
    return f"partitions {partitions[0]} to {partitions[-1]}"
