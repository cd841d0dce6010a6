"""What every command that talks to a broker is told: where it is, and properties of the client."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, TypeVar, cast

import click

from barnabas import Admin
from barnabas.cli.arguments.hints import DEFAULT_SERVERS, add_hint
from barnabas.cli.arguments.patience import patience
from barnabas.cli.arguments.usage import usage
from barnabas.client.core.cluster.absence import meant
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.files import merge, overrides, values
from barnabas.errors import BrokerError, ErrorCode, KafkaError

_REFUSED_MS: Final = 5000
"""Somebody waits at the keyboard: long enough for a broker that is just being started."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def connection_options(command: _Command) -> _Command:
    """Add -b and -X; the command gets `servers` and `pairs`, its errors a hint at what to do."""

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
            "-X", "pairs", multiple=True, metavar="NAME=VALUE", help="A client property; repeat."
        ),
        click.option(
            "-b",
            "--bootstrap-servers",
            "servers",
            default=DEFAULT_SERVERS,
            envvar="BARNABAS_BOOTSTRAP_SERVERS",
            show_default=True,
            metavar="HOST:PORT",
            help="Brokers to begin with, with commas between them; given up after "
            f"{_REFUSED_MS // 1000} s where none listens.",
        ),
    ):
        made = option(made)
    return cast("_Command", made)


def client_settings(servers: str, pairs: tuple[str, ...], **own: object) -> dict[str, object]:
    """Properties for a client: the command's own, then those of -X, and where the brokers are."""
    with usage():
        given = merge(overrides(pairs, "-X"))
        for name, one in given.items():
            row = ProducerConfig.find(name) or ConsumerConfig.find(name)
            if row is not None:
                row.parse(one.value)
        parse_addresses(servers.split(","))
    dotted = {name.replace("_", "."): value for name, value in own.items()}
    usual = {"bootstrap.refused.timeout.ms": _REFUSED_MS}
    return {**usual, **dotted, **values(given), "bootstrap.servers": servers}


def admin_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Those of another client's properties that an admin client knows.

    The other client says which names nobody knows; from the admin client it would be a second time.
    """
    return {name: value for name, value in settings.items() if AdminConfig.find(name)}


@contextmanager
def administering(servers: str, settings: Mapping[str, object]) -> Iterator[Admin]:
    """An admin client; while no broker answers, a word about that on stderr."""
    with Admin(settings) as admin, patience(servers):
        yield admin


def existing_topics(admin: Admin, names: tuple[str, ...]) -> dict[str, TopicView]:
    """The topics by name; at once, where a client would wait for a missing one to appear.

    Raises:
        BrokerError: one of them does not exist.
    """
    known = admin.describe_topics()
    for name in names:
        if name not in known:
            what = meant(name, known) or "`barnabas topics list` shows what there is"
            raise BrokerError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}; {what}"
            )
    return {name: known[name] for name in names}
