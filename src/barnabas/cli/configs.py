"""`barnabas configs`: properties of brokers, topics, groups and subscriptions to clients' metrics."""

from collections.abc import Iterable, Mapping

import click

from barnabas import Admin
from barnabas.cli.connection import administering, client_settings, connection_options
from barnabas.cli.output import show_rows
from barnabas.client.core.descriptions import ConfigEntry, ConfigSource, Resource
from barnabas.config.files import overrides
from barnabas.errors import ConfigError

_KINDS = {
    "broker": Resource.BROKER,
    "topic": Resource.TOPIC,
    "group": Resource.GROUP,
    "client-metrics": Resource.CLIENT_METRICS,
}


@click.command()
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("name", default="")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Give it a value.")
@click.option("--unset", "removed", multiple=True, metavar="NAME", help="Back to the default.")
@click.option("--all", "everything", is_flag=True, help="Defaults too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
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
    """Change properties of something, then print those that were set.

    NAME is the number of a broker, or none for what holds for all brokers; else it is the name of
    a topic, a group, or a subscription to clients' metrics.
    """
    resource = _KINDS[kind]
    if not name and resource is not Resource.BROKER:
        raise click.UsageError(f"which {kind}? Give its name behind the word {kind}")
    wanted: dict[str, str | None] = {
        key: given.value for key, given in overrides(changes, "--set").items()
    }
    wanted |= dict.fromkeys(removed)
    with administering(servers, client_settings(servers, pairs)) as admin:
        if wanted:
            _refuse_unknown(removed, _all_names(admin, resource, name), kind)
            admin.alter_configs(resource, name, wanted)
        entries = admin.describe_configs(resource, name)
    rows = [
        (entry.name, entry.value, entry.source.name.lower().replace("_", " "))
        for entry in entries.values()
        if everything or entry.source is not ConfigSource.DEFAULT
    ]
    title = f"Properties of {kind} {name}" if name else "Properties of all brokers"
    show_rows(("property", "value", "source"), rows, title=title, as_json=as_json)


def _all_names(admin: Admin, resource: Resource, name: str) -> Mapping[str, ConfigEntry]:
    """What the resource has; of all brokers only what was changed is told, so one is asked."""
    if not name:
        name = str(admin.describe_cluster().brokers[0].node_id)
    return admin.describe_configs(resource, name)


def _refuse_unknown(removed: Iterable[str], entries: Mapping[str, ConfigEntry], kind: str) -> None:
    """A broker takes back what is not there without a word; whoever mistyped it wants to know."""
    import difflib

    for name in removed:
        if name not in entries:
            near = difflib.get_close_matches(name, entries, n=1)
            hint = f": the nearest known one is {near[0]}" if near else ""
            raise ConfigError(f"--unset {name}: a {kind} has no property {name}{hint}")
