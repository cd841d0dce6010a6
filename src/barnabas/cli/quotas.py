"""`barnabas quotas`: limits for users, client ids and addresses."""

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.names import complete_properties
from barnabas.cli.arguments.usage import typed, usage
from barnabas.cli.output.output import json_option, show_rows
from barnabas.errors import ConfigError

_DEFAULT = "*"


@click.command()
@click.option("--user", metavar="NAME", help="Quota of this user; * for all others.")
@click.option("--client", metavar="ID", help="Quota of this client id; * for all others.")
@click.option("--ip", metavar="ADDRESS", help="Quota of this address; * for all others.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="QUOTA=NUMBER",
    shell_complete=complete_properties,
    help="Set a quota.",
)
@click.option(
    "--unset",
    "removed",
    multiple=True,
    metavar="QUOTA",
    shell_complete=complete_properties,
    help="Remove a quota.",
)
@json_option
@connection_options
def quotas(
    *,
    user: str | None,
    client: str | None,
    ip: str | None,
    changes: tuple[str, ...],
    removed: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show or change the quotas of clients.

    Prints all matching quotas, after the changes.

    Quotas are producer_byte_rate, consumer_byte_rate (bytes per second), request_percentage (of one
    thread), controller_mutation_rate (partitions per second), and connection_creation_rate of an
    ip.
    """
    named = {"user": user, "client-id": client, "ip": ip}
    entity = {
        kind: None if name == _DEFAULT else name for kind, name in named.items() if name is not None
    }
    with usage():
        wanted: dict[str, float | None] = {
            name: _number(name, text) for name, text in typed(changes, "--set").items()
        }
    wanted |= dict.fromkeys(removed)
    if wanted and not entity:
        raise click.UsageError("whose quota? Give --user, --client, both, or --ip")
    with administering(servers, client_settings(servers, pairs)) as admin:
        if wanted:
            admin.alter_client_quotas(entity, wanted)
        found = admin.describe_client_quotas(entity)
    rows = [
        (*(_shown(one.entity, kind) for kind in named), name, f"{value:.15g}")
        for one in found
        for name, value in sorted(one.quotas.items())
    ]
    columns = ("user", "client", "ip", "quota", "value")
    show_rows(columns, rows, title=f"Quotas of {servers}", as_json=as_json)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"--set {name}={text}: a quota must be a number") from None


def _shown(entity: object, kind: str) -> str | None:
    assert isinstance(entity, dict)
    return (entity[kind] or _DEFAULT) if kind in entity else None
