"""`barnabas topics offline` and `give-up`: offline partitions, and how to abandon their lost records."""

from collections.abc import Iterable, Sequence

import click

from barnabas import Admin
from barnabas.cli.arguments.confirmation import confirm, yes_option
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_partitions,
)
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.partition_names import parsed, shown
from barnabas.cli.output.output import Cell, counted, json_option, notice, show_rows
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

_SHOWN = 10
"""The number of partitions that a question names."""


@click.command()
@json_option
@connection_options
def offline(servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """List the partitions without a leader. The broker's log says why, and what to do."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = _offline(admin.describe_topics().values())
    rows: list[tuple[Cell, ...]] = [tuple(place) for place in found]
    show_rows(("topic", "partition"), rows, title=f"Offline at {servers}", as_json=as_json)


@click.command("give-up")
@click.argument("places", nargs=-1, type=TOPIC, metavar="TOPIC[:PARTITION]...")
@click.option("--all", "everything", is_flag=True, help="All offline partitions.")
@yes_option
@json_option
@connection_options
def give_up(
    places: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    *,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Serve partitions again although records were lost.

    This is for partitions that are offline because a file was missing or damaged when the broker
    started. If you can, restore the file and restart the broker instead: then nothing is lost.
    Otherwise the partition continues with the remaining records; each keeps its offset. Files that
    reappear later are kept in its directory under another name, and not served.
    """
    if bool(places) == everything:
        raise click.UsageError("name topics or partitions, or give --all")
    with administering(servers, client_settings(servers, pairs)) as admin:
        lost = _offline(admin.describe_topics().values())
        if places:
            lost = _chosen(admin, places, lost)
        if lost:
            _confirm(lost, yes=yes)
            admin.elect_leaders(lost, unclean=True)
        else:
            notice("nothing is offline")
        first = admin.list_offsets(dict.fromkeys(lost, EARLIEST))
        last = admin.list_offsets(dict.fromkeys(lost, LATEST))
    rows = [(*place, first[place].offset, last[place].offset) for place in lost]
    columns = ("topic", "partition", "start_offset", "end_offset")
    if lost or as_json:
        show_rows(columns, rows, title="Given up", as_json=as_json)


def _confirm(lost: Sequence[TopicPartition], *, yes: bool) -> None:
    more = len(lost) - _SHOWN
    names = ", ".join(map(shown, lost[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
    what = f"Give up the lost records of {counted(len(lost), 'partition')}: {names}?"
    confirm(what, yes=yes, instead=f"--yes gives up {names}")


def _offline(topics: Iterable[TopicView]) -> list[TopicPartition]:
    return [
        TopicPartition(view.name, one.partition)
        for view in topics
        for one in view.partitions
        if one.leader < 0
    ]


def _chosen(
    admin: Admin, places: Sequence[str], lost: Sequence[TopicPartition]
) -> list[TopicPartition]:
    """The named ones among the lost; an error if one is not offline."""
    wanted = list(parsed(places))
    existing_partitions(admin, wanted)
    chosen = []
    for topic, index in wanted:
        found = [one for one in lost if one.topic == topic and index in {None, one.partition}]
        if not found:
            name = topic if index is None else f"{topic}:{index}"
            raise ConfigError(f"{name} is not offline: there is nothing to give up")
        chosen += [one for one in found if one not in chosen]
    return chosen
