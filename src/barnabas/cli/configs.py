"""`barnabas configs`: properties of brokers, topics, groups and client metrics subscriptions."""

from collections.abc import Iterable, Mapping
from functools import partial

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import complete_configured
from barnabas.cli.arguments.properties import (
    COLUMNS,
    property_options,
    refuse_unknown,
    rows_of,
    wanted,
)
from barnabas.cli.output.output import json_option, notice, show_rows
from barnabas.client.core.admin.descriptions import ConfigEntry, ConfigSource, Resource
from barnabas.errors import ConfigError

_KINDS = {
    "broker": Resource.BROKER,
    "topic": Resource.TOPIC,
    "group": Resource.GROUP,
    "client-metrics": Resource.CLIENT_METRICS,
}


@click.command()
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("name", default="", shell_complete=complete_configured)
@property_options
@json_option
@connection_options
def configs(
    *,
    kind: str,
    name: str,
    changes: tuple[str, ...],
    removed: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    everything: bool,
    as_json: bool,
) -> None:
    """Show or change properties of brokers, topics, groups.

    After changes, the command prints what is set.

    NAME is the number of a broker, or omitted for the defaults of all brokers; otherwise it is the
    name of a topic, a group, or a client metrics subscription.
    """
    resource = _KINDS[kind]
    if not name and resource is not Resource.BROKER:
        raise click.UsageError(f"which {kind}? Give its name after the word {kind}")
    values = wanted(changes, removed)
    with administering(servers, client_settings(servers, pairs)) as admin:
        _refuse_missing(admin, resource, name)
        if values:
            known = _all_names(admin, resource, name)
            refuse_unknown(removed, known, f"a {kind} has", partial(_nearest, known))
            admin.alter_configs(resource, name, values)
        entries = admin.describe_configs(resource, name)
    rows = rows_of(
        entry
        for entry in entries.values()
        if everything or entry.source is not ConfigSource.DEFAULT
    )
    title = f"Properties of {kind} {name}" if name else "Properties of all brokers"
    shown = [*rows]
    show_rows(COLUMNS, shown, title=title, as_json=as_json)
    if not shown and not name:
        notice("nothing is set for all brokers: give a broker's number to see its properties")


def _refuse_missing(admin: Admin, resource: Resource, name: str) -> None:
    """Refuse a missing broker or topic at once; a client would wait for it to appear."""
    if resource is Resource.TOPIC:
        existing_topics(admin, (name,))
    elif resource is Resource.BROKER and name:
        known = [str(one.node_id) for one in admin.describe_cluster().brokers]
        if name not in known:
            raise ConfigError(f"there is no broker {name}; these are running: {', '.join(known)}")


def _all_names(admin: Admin, resource: Resource, name: str) -> Mapping[str, ConfigEntry]:
    """The property names of the resource.

    For all brokers, one broker is asked: only changes are reported.
    """
    if not name:
        name = str(admin.describe_cluster().brokers[0].node_id)
    return admin.describe_configs(resource, name)


def _nearest(known: Iterable[str], name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
