"""`barnabas topics offline` and `give-up`: partitions that are offline, and their records let go."""

import sys
from collections.abc import Iterable, Iterator, Sequence

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.places import shown
from barnabas.cli.output.output import Cell, counted, show_rows, tell
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

_SHOWN = 10
"""Partitions that a question names."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@connection_options
def offline(servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """Print the partitions that have no leader. The broker's log says why, and what to do."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = _offline(admin.describe_topics().values())
    rows: list[tuple[Cell, ...]] = [tuple(place) for place in found]
    show_rows(("topic", "partition"), rows, title=f"Offline at {servers}", as_json=as_json)


@click.command("give-up")
@click.argument("places", nargs=-1, callback=named("topic"), metavar="TOPIC[:PARTITION]...")
@click.option("--all", "everything", is_flag=True, help="All partitions that are offline.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@connection_options
def give_up(
    places: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    *,
    everything: bool,
    yes: bool,
) -> None:
    """Serve partitions again whose records were lost.

    Only those that are offline because something of them was not there, or damaged, when the broker
    started. Put it back and start the broker again, if you can: then nothing is lost. Given up, a
    partition goes on with the records that are left, behind each offset that it had. What comes back
    later is kept in its directory under another name, and not served.
    """
    if bool(places) == everything:
        raise click.UsageError("name topics or partitions, or give --all")
    with administering(servers, client_settings(servers, pairs)) as admin:
        lost = _offline(admin.describe_topics().values())
        if places:
            lost = _chosen(admin, places, lost)
        if not lost:
            tell("nothing is offline")
            return
        _confirm(lost, yes=yes)
        admin.elect_leaders(lost, unclean=True)
        first = admin.list_offsets(dict.fromkeys(lost, EARLIEST))
        last = admin.list_offsets(dict.fromkeys(lost, LATEST))
    rows = [(*place, first[place].offset, last[place].offset) for place in lost]
    columns = ("topic", "partition", "start_offset", "end_offset")
    show_rows(columns, rows, title="Given up", as_json=False)


def _confirm(lost: Sequence[TopicPartition], *, yes: bool) -> None:
    if yes:
        return
    more = len(lost) - _SHOWN
    names = ", ".join(map(shown, lost[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
    if not sys.stdin.isatty():
        raise click.UsageError(f"nobody is here to be asked: --yes gives up {names}")
    what = f"Give up the lost records of {counted(len(lost), 'partition')}: {names}?"
    click.confirm(what, abort=True, err=True)


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
    """Those of the lost that were named; one that is not among them is an error."""
    wanted = list(_parsed(places))
    existing_topics(admin, tuple({topic for topic, _ in wanted}))
    chosen = []
    for topic, index in wanted:
        found = [one for one in lost if one.topic == topic and index in {None, one.partition}]
        if not found:
            name = topic if index is None else f"{topic}:{index}"
            raise ConfigError(f"{name} is not offline: nothing of it is to be given up")
        chosen += [one for one in found if one not in chosen]
    return chosen


def _parsed(places: Iterable[str]) -> Iterator[tuple[str, int | None]]:
    for text in places:
        topic, colon, number = text.partition(":")
        if colon and not (number.isascii() and number.isdigit()):
            raise click.UsageError(f"{text}: {number!r} is no number of a partition")
        yield topic, int(number) if colon else None
