"""`barnabas groups`: list, describe, reset offsets, delete. Rules are the broker's."""

import sys
from collections.abc import Mapping
from typing import ClassVar, TextIO

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.places import shown
from barnabas.cli.arguments.usage import HintingCommand, HintingGroup, Spelled
from barnabas.cli.groups.group_advice import near, told_of, without_positions
from barnabas.cli.groups.group_deletion import delete_each
from barnabas.cli.groups.group_forgetting import forget
from barnabas.cli.groups.group_reset import Plan, Reset, lines_of, places_of, plan, with_numbers
from barnabas.cli.groups.group_rows import (
    LISTED,
    MEMBERS,
    POSITIONS,
    TOLD_OF_MEMBERS,
    document,
    listed,
    members_of,
    positions,
)
from barnabas.cli.groups.group_standing import standing
from barnabas.cli.output.output import counted, show_json, show_rows, tell
from barnabas.client.core.admin.group_descriptions import GROUP_STATES
from barnabas.errors import ConfigError, KafkaError

_NEW = ("topic", "partition", "current_offset", "new_offset", "clamped_from")

_FEW = 3
"""So many partitions are named in one line."""

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document.")
_topics = click.option(
    "-t",
    "--topic",
    "topics",
    multiple=True,
    callback=with_numbers,
    metavar="TOPIC[:0,1]",
    help="A topic, or behind a colon the numbers of some of its partitions; repeat.",
)


class ResetCommand(HintingCommand):
    """Options that Kafka's own tool has for it."""

    hints: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("--to-earliest", "--earliest"), "It is: --to earliest"),
        **dict.fromkeys(("--to-latest", "--latest"), "It is: --to latest"),
        "--to-current": "It is: --to current",
        "--to-offset": "It is: --to 42",
        "--to-datetime": "It is: --to 2013-01-01T05:00",
        "--shift-by": "It is: --by",
        "--from-file": "It is: --file",
        "--dry-run": "Leave it out: without --execute nothing is changed",
        "--group": "The group has no option: barnabas groups reset GROUP",
    }


@click.group(cls=HintingGroup)
def groups() -> None:
    """Look at groups of consumers and change where they are."""


@groups.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=Spelled(GROUP_STATES, case_sensitive=False),
    help="Only those that are in one of these.",
)
@click.option("--lag", is_flag=True, help="Also how many records each has before it.")
@_json
@connection_options
def list_groups(
    servers: str, pairs: tuple[str, ...], states: tuple[str, ...], *, lag: bool, as_json: bool
) -> None:
    """Print all groups: what they are and do, who shares out how, and how many members there are.

    In a pipe each is a line of six fields, with --lag of seven; of share groups brokers before
    Kafka 4.2 tell no lag.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        rows = listed(admin, states, lag=lag)
    columns = (*LISTED, "lag") if lag else LISTED
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
        with told_of(admin, (group,)):
            found = admin.describe_groups([group])[group]
        rows = positions(admin, found)
    if as_json:
        show_json(document(found, rows))
        return
    title = f"{group}: {found.state}, {counted(len(found.members), 'member')}"
    if found.assignor:
        title += f", {found.assignor}"
    if members:
        show_rows(MEMBERS, members_of(found), title=title, as_json=False)
    else:
        show_rows(POSITIONS, rows, title=title, as_json=False, short=TOLD_OF_MEMBERS)
    if not found.members:
        tell(f"{group} has no members now")


@groups.command(cls=ResetCommand)
@click.argument("group", callback=named("group"))
@_topics
@click.option(
    "--all-topics", is_flag=True, help="All that it has positions in, or a share group reads."
)
@click.option("--to", "to", metavar="WHERE", help="earliest, latest, current, an offset or a time.")
@click.option("--by", type=int, metavar="COUNT", help="So many on; below 0: back.")
@click.option(
    "--file", "file", type=click.File(encoding="utf-8-sig"), help="Lines of topic,partition,offset."
)
@click.option("--share", is_flag=True, help="It is a share group; one is made if it is not there.")
@click.option("--execute", is_flag=True, help="Do it; without this it is only shown.")
@click.option("--export", is_flag=True, help="Print it as lines that --file takes.")
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
    share: bool,
    execute: bool,
    export: bool,
    as_json: bool,
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Show where GROUP would go on, or have it go on there with --execute.

    A time is such as 2013-01-01T05:00 (local unless it says otherwise), or @ and milliseconds since
    1970. Offsets that a partition does not have become its first or its end; clamped_from is what was
    asked for. A group with members cannot be reset.
    """
    _refuse_unclear({"--to": to, "--by": by, "--file": file}, topics, all_topics=all_topics)
    if export and as_json:
        raise click.UsageError("--export prints lines and --json a document: take one of them")
    asked = Reset(topics, to, by, None if file is None else lines_of(file))
    with administering(servers, client_settings(servers, pairs)) as admin:
        places = places_of(admin, asked)
        now = standing(admin, group, places, share=share)
        unknown = None if now.is_there else near(admin, group)
        if all_topics and not (now.offsets or now.unbegun):
            raise ConfigError(without_positions(admin, group))
        new = plan(admin, now, asked, places)
        if execute and new.offsets:
            now.move(admin, new.offsets)
    rows = [
        (*where, now.offsets.get(where), offset, new.clamped.get(where))
        for where, offset in sorted(new.offsets.items())
    ]
    if export:
        for where, offset in sorted(new.offsets.items()):
            print(f"{where.topic},{where.partition},{offset}")
        _say_clamped(new)
    elif rows or as_json:
        goes = "goes on now" if execute else "would go on"
        show_rows(_NEW, rows, title=f"Where {group} {goes}", as_json=as_json)
    _say_left(group, new)
    if unknown is not None and rows:
        _say_unknown(group, unknown, execute=execute)
    if rows and not execute:
        tell("nothing was changed: --execute does it")


@groups.command()
@click.argument("names", nargs=-1, required=True, callback=named("group"), metavar="GROUP...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@_json
@connection_options
def delete(
    names: tuple[str, ...], servers: str, pairs: tuple[str, ...], *, yes: bool, as_json: bool
) -> None:
    """Delete groups without members, with all positions that they saved.

    In a pipe each group that was deleted is a line, also where others could not be.
    """
    _confirm(f"Delete {', '.join(names)} with all positions?", yes=yes)
    with administering(servers, client_settings(servers, pairs)) as admin:
        outcome = delete_each(admin, names)
    gone = [name for name, error in outcome.items() if error is None]
    if as_json:
        show_json([_ended(name, error) for name, error in outcome.items()])
    elif not sys.stdout.isatty():
        for name in gone:
            print(name)
    elif gone:
        tell(f"deleted {', '.join(gone)}")
    refused = [error for error in outcome.values() if error is not None]
    for error in refused[:-1]:
        print(f"barnabas: {with_hints(error)}", file=sys.stderr)
    if refused:
        raise refused[-1]


@groups.command("delete-offsets")
@click.argument("group", callback=named("group"))
@_topics
@click.option("-y", "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@connection_options
def delete_offsets(
    group: str, servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], *, yes: bool
) -> None:
    """Have GROUP forget its positions in topics that no member subscribes to.

    A share group forgets whole topics, and only while it has no members.
    """
    if not topics:
        raise click.UsageError("say of which topics: --topic")
    _confirm(f"Forget where {group} is in {', '.join(topics)}?", yes=yes)
    with administering(servers, client_settings(servers, pairs)) as admin:
        gone = forget(admin, group, topics)
    tell(f"{group} forgot {gone}")


def _ended(name: str, error: KafkaError | None) -> dict[str, object]:
    told = None if error is None else with_hints(error)
    return {"group": name, "deleted": error is None, "error": told}


def _refuse_unclear(
    ways: Mapping[str, object], topics: tuple[str, ...], *, all_topics: bool
) -> None:
    """One of the ways to say where a group goes on was given; and of which topics, or a file says it."""
    given = [option for option, value in ways.items() if value is not None]
    if len(given) != 1:
        instead = f", not {' and '.join(given)}" if given else ""
        raise click.UsageError(f"say where to: one of --to, --by and --file{instead}")
    if given == ["--file"]:
        if topics or all_topics:
            more = "--all-topics" if all_topics else "--topic"
            raise click.UsageError(f"the lines of --file say of which topics: leave out {more}")
    elif bool(topics) == all_topics:
        both = ", not both" if all_topics else ""
        raise click.UsageError(f"say of which topics: --topic or --all-topics{both}")


def _say_clamped(new: Plan) -> None:
    """The lines of a plan have no place for it."""
    for where, asked in sorted(new.clamped.items()):
        told = f"{shown(where)} has no offset {asked}: it goes on at {new.offsets[where]}"
        print(f"barnabas: {told}", file=sys.stderr)


def _say_left(group: str, new: Plan) -> None:
    if not new.left:
        return
    few = ", ".join(map(shown, new.left[:_FEW]))
    more = f" and {len(new.left) - _FEW} more" if len(new.left) > _FEW else ""
    begins = f"{group} has not begun in {few}{more}: share.auto.offset.reset says where it will"
    nothing = "" if new.offsets else "there is nothing to move: "
    print(f"barnabas: {nothing}{begins}", file=sys.stderr)


def _say_unknown(group: str, like: str, *, execute: bool) -> None:
    """Who misspelt a group hears it, also where a script has done so."""
    what = (
        f"there was no group {group}: it was made"
        if execute
        else f"there is no group {group}: --execute would make it"
    )
    print("; ".join(filter(None, (f"barnabas: {what}", like))), file=sys.stderr)


def _confirm(question: str, *, yes: bool) -> None:
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("nobody is here to be asked: --yes does it")
    if not yes:
        click.confirm(question, abort=True, err=True)
