"""`barnabas groups`: list, describe, reset offsets, delete. Rules are the broker's."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from barnabas import Admin
from barnabas.cli.connection import administering, client_settings, connection_options
from barnabas.cli.group_reset import Reset, plan
from barnabas.cli.names import meant, named
from barnabas.cli.output import Cell, counted, show_json, show_rows, tell
from barnabas.cli.usage import HintingGroup
from barnabas.client.core.descriptions import LATEST
from barnabas.client.core.group_descriptions import SHARE, GroupDescription
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

_STATES = ("Empty", "Dead")
_ALL_STATES = (
    *("Stable", "Empty", "Dead", "PreparingRebalance", "CompletingRebalance"),
    *("Assigning", "Reconciling", "NotReady"),
)
"""Source: Kafka 4.3's GroupState."""
_COLUMNS = (
    *("topic", "partition", "current_offset", "log_end_offset", "lag"),
    *("member_id", "host", "client_id"),
)
_MEMBERS = ("member_id", "instance_id", "host", "client_id", "partitions")
_NEW = ("topic", "partition", "current_offset", "new_offset")

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document.")
_topics = click.option(
    "-t", "--topic", "topics", multiple=True, callback=named("topic"), metavar="TOPIC[:0,1]"
)


@click.group(cls=HintingGroup)
def groups() -> None:
    """Look at groups of consumers and change where they are."""


@groups.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(_ALL_STATES, case_sensitive=False),
    help="Only those that are in one of these.",
)
@_json
@connection_options
def list_groups(
    servers: str, pairs: tuple[str, ...], states: tuple[str, ...], *, as_json: bool
) -> None:
    """Print all groups."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = admin.list_groups(states=states)
    rows = [(one.group_id, one.kind, one.state, one.protocol_type) for one in found]
    columns = ("group", "type", "state", "protocol_type")
    show_rows(columns, rows, title=f"Groups of {servers}", as_json=as_json)


@groups.command()
@click.argument("group", callback=named("group"))
@click.option("--members", is_flag=True, help="A row per member, not per partition.")
@_json
@connection_options
def describe(
    group: str, servers: str, pairs: tuple[str, ...], *, members: bool, as_json: bool
) -> None:
    """Print where GROUP is in each partition, how far behind the end, and who reads it.

    In a pipe each partition is a line of eight fields, with --members each member one of five.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        with _told_of(admin, (group,)):
            found = admin.describe_groups([group])[group]
        rows = _positions(admin, found)
    if as_json:
        show_json(_document(found, rows))
        return
    people: list[tuple[Cell, ...]] = [
        (one.member_id, one.instance_id, one.host, one.client_id, _named(one.partitions))
        for one in found.members
    ]
    title = f"{group}: {found.state}, {counted(len(found.members), 'member')}"
    if found.assignor:
        title += f", {found.assignor}"
    if members:
        show_rows(_MEMBERS, people, title=title, as_json=False)
    else:
        show_rows(_COLUMNS, rows, title=title, as_json=False)
    if not found.members:
        tell(f"{group} has no members now")
    if found.kind == SHARE:
        tell(
            f"{group} is a share group: kafka-share-groups.sh --describe --offsets tells where it is"
        )


@groups.command()
@click.argument("group", callback=named("group"))
@_topics
@click.option("--all-topics", is_flag=True, help="All that the group has positions in.")
@click.option("--to", "to", metavar="WHERE", help="earliest, latest, current, an offset or a time.")
@click.option("--by", type=int, metavar="COUNT", help="So many on; below 0: back.")
@click.option(
    "--file", "file", type=click.File(encoding="utf-8-sig"), help="Lines of topic,partition,offset."
)
@click.option("--execute", is_flag=True, help="Do it; without this it is only shown.")
@_json
@connection_options
def reset(
    *,
    group: str,
    topics: tuple[str, ...],
    all_topics: bool,
    to: str | None,
    by: int | None,
    file: TextIO | None,
    execute: bool,
    as_json: bool,
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Show where GROUP would go on, or have it go on there with --execute.

    A time is such as 2013-01-01T05:00 (local unless it says otherwise), or @ and milliseconds since
    1970. Offsets that a partition does not have become its first or its end. A group with members
    cannot be reset.
    """
    if (to is not None) + (by is not None) + (file is not None) != 1:
        raise click.UsageError("say where to: one of --to, --by and --file")
    if (file is None) and bool(topics) == all_topics:
        raise click.UsageError("say of which topics: --topic or --all-topics")
    lines = None if file is None else file.read().splitlines()
    with administering(servers, client_settings(servers, pairs)) as admin:
        _refuse_unheeding(admin, group)
        saved = admin.list_group_offsets(group)
        current = {where: each.offset for where, each in saved.items()}
        if all_topics and not current:
            raise ConfigError(f"{group} has no positions; {_known(admin, group)}")
        new = plan(admin, current, Reset(topics, to, by, lines))
        if execute and new:
            admin.alter_group_offsets(group, dict(new.items()))
    rows = [(*where, current.get(where), offset) for where, offset in sorted(new.items())]
    show_rows(_NEW, rows, title=f"Where {group} goes on", as_json=as_json)
    if not execute:
        tell("nothing was changed: --execute does it")


@groups.command()
@click.argument("names", nargs=-1, required=True, callback=named("group"), metavar="GROUP...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@connection_options
def delete(names: tuple[str, ...], servers: str, pairs: tuple[str, ...], *, yes: bool) -> None:
    """Delete groups without members, with all positions that they saved."""
    _confirm(f"Delete {', '.join(names)} with all positions?", yes=yes)
    settings = client_settings(servers, pairs)
    with administering(servers, settings) as admin, _told_of(admin, names):
        admin.delete_groups(names)
    tell(f"deleted {', '.join(names)}")


@groups.command("delete-offsets")
@click.argument("group", callback=named("group"))
@_topics
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@connection_options
def delete_offsets(
    group: str, servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], *, yes: bool
) -> None:
    """Have GROUP forget its positions in topics that no member subscribes to."""
    if not topics:
        raise click.UsageError("say of which topics: --topic")
    _confirm(f"Forget where {group} is in {', '.join(topics)}?", yes=yes)
    with administering(servers, client_settings(servers, pairs)) as admin:
        saved = admin.list_group_offsets(group)
        gone = [where for where in saved if Reset(topics).names(where)]
        if not gone:
            what = f"{group} has no positions in {', '.join(topics)}"
            raise ConfigError(f"{what}; {_known(admin, group)}" if not saved else what)
        admin.delete_group_offsets(group, gone)
    tell(f"{group} forgot {counted(len(gone), 'position')}")


@contextmanager
def _told_of(admin: Admin, names: Iterable[str]) -> Iterator[None]:
    """Where there is no such group, which ones there are."""
    try:
        yield
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND:
            # Of several the error names the one.
            missing = next((name for name in names if name in str(error)), "")
            error.add_note(_known(admin, missing))
        raise


def _known(admin: Admin, name: str) -> str:
    near = meant(name, (one.group_id for one in admin.list_groups()))
    return near or "`barnabas groups list` shows what there is"


def _document(found: GroupDescription, rows: list[tuple[Cell, ...]]) -> dict[str, object]:
    return {
        "group": found.group_id,
        "type": found.kind,
        "state": found.state,
        "assignor": found.assignor,
        "coordinator": found.coordinator,
        "members": [
            {
                "member_id": one.member_id,
                "instance_id": one.instance_id,
                "host": one.host,
                "client_id": one.client_id,
                "partitions": [where._asdict() for where in one.partitions],
            }
            for one in found.members
        ],
        "partitions": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
    }


def _positions(admin: Admin, found: GroupDescription) -> list[tuple[Cell, ...]]:
    """A row for each partition that has a position or a member, as Kafka's own tool prints them."""
    saved = admin.list_group_offsets(found.group_id)
    owners = {where: one for one in found.members for where in one.partitions}
    places = sorted({*saved, *owners})
    ends = _ends(admin, places)
    rows: list[tuple[Cell, ...]] = []
    for where in places:
        offset = saved[where].offset if where in saved else None
        end, owner = ends.get(where), owners.get(where)
        lag = None if offset is None or end is None else max(0, end - offset)
        who: tuple[Cell, ...] = (None, None, None)
        if owner is not None:
            who = (owner.member_id, owner.host, owner.client_id)
        rows.append((*where, offset, end, lag, *who))
    return rows


def _ends(admin: Admin, places: list[TopicPartition]) -> dict[TopicPartition, int]:
    """The ends of those partitions that are still there."""
    known = admin.describe_topics()
    there = [
        where
        for where in places
        if where.topic in known and where.partition < len(known[where.topic].partitions)
    ]
    found = admin.list_offsets(dict.fromkeys(there, LATEST)) if there else {}
    return {where: each.offset for where, each in found.items()}


def _refuse_unheeding(admin: Admin, group: str) -> None:
    """A group that would not heed what is saved. One that is not there has no members."""
    try:
        found = admin.describe_groups([group])[group]
    except BrokerError as error:
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            raise
        return
    if found.kind == SHARE:
        raise ConfigError(
            f"{group} is a share group, which saves no positions: "
            "kafka-share-groups.sh --reset-offsets moves it"
        )
    if found.state not in _STATES:
        raise ConfigError(
            f"{group} is {found.state} with {counted(len(found.members), 'member')}: end them first"
        )


def _named(partitions: tuple[TopicPartition, ...]) -> str:
    return ",".join(f"{where.topic}-{where.partition}" for where in partitions)


def _confirm(question: str, *, yes: bool) -> None:
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("nobody is here to be asked: --yes does it")
    if not yes:
        click.confirm(question, abort=True, err=True)
