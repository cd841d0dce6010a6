"""What every command that talks to a broker is told: where it is, and properties of the client."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from barnabas.config.files import overrides, values

_Command = TypeVar("_Command", bound=Callable[..., Any])

DEFAULT_SERVERS = "localhost:9092"


def connection_options(command: _Command) -> _Command:
    """Add -b and -X; the command gets `servers` and `pairs`."""
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
            help="Brokers to begin with, with commas between them.",
        ),
    ):
        command = option(command)
    return command


def client_settings(servers: str, pairs: tuple[str, ...], **own: object) -> dict[str, object]:
    """Properties for a client: the command's own, then those of -X, and where the brokers are."""
    dotted = {name.replace("_", "."): value for name, value in own.items()}
    return {**dotted, **values(overrides(pairs, "-X")), "bootstrap.servers": servers}
