"""`barnabas groups`: list, describe, reset offsets, delete. The broker enforces the rules."""

import sys
from collections.abc import Mapping
from typing import ClassVar, TextIO

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.arguments.names import GROUP, TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import shown
from barnabas.cli.arguments.usage import HintingCommand, HintingGroup, Spelled
from barnabas.cli.groups.group_advice import near, suggest_groups, without_positions
from barnabas.cli.groups.group_deletion import delete_each
from barnabas.cli.groups.group_positions import standing
from barnabas.cli.groups.group_reset import (
    Reset,
    ResetPlan,
    lines_of,
    places_of,
    plan,
    with_numbers,
)
from barnabas.cli.groups.group_rows import (
    LISTED,
    MEMBER_DETAILS,
    MEMBERS,
    POSITIONS,
    document,
    listed,
    members_of,
    positions,
)
from barnabas.cli.groups.offset_deletion import forget
from barnabas.cli.output.output import counted, notice, show_json, show_rows
from barnabas.client.core.admin.group_descriptions import GROUP_STATES
from barnabas.errors import ConfigError, KafkaError

_NEW = ("topic", "partition", "current_offset", "new_offset", "clamped_from")

_FEW = 3
"""The number of partitions that fit into one line."""

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_topics = click.option(
    "-t",
    "--topic",
    "topics",
    multiple=True,
    type=TOPIC,
    callback=with_numbers,
    metavar="TOPIC[:0,1]",
    help="A topic, optionally with partition numbers after a colon; repeatable.",
)


class ResetCommand(HintingCommand):
    """Suggestions for options of Kafka's own tool."""

    hints: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("--to-earliest", "--earliest"), "Use --to earliest"),
        **dict.fromkeys(("--to-latest", "--latest"), "Use --to latest"),
        "--to-current": "Use --to current",
        "--to-offset": "Use --to 42",
        "--to-datetime": "Use --to 2013-01-01T05:00",
        "--shift-by": "Use --by",
        "--from-file": "Use --file",
        "--dry-run": "Leave it out: without --execute nothing changes",
        "--group": "The group is an argument: barnabas groups reset GROUP",
    }


@click.group(cls=HintingGroup)
def groups() -> None:
    """Inspect consumer groups and change their positions."""


@groups.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=Spelled(GROUP_STATES, case_sensitive=False),
    help="Only groups in one of these states.",
)
@click.option("--lag", is_flag=True, help="Also show each group's lag, in records.")
@_json
@connection_options
def list_groups(
    servers: str, pairs: tuple[str, ...], states: tuple[str, ...], *, lag: bool, as_json: bool
) -> None:
    """List all groups: type, state, assignor and number of members.

    In a pipe, each group is a line of six fields, with --lag seven. Brokers before Kafka 4.2 report
    no lag for share groups.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        rows = listed(admin, states, lag=lag)
    columns = (*LISTED, "lag") if lag else LISTED
    show_rows(columns, rows, title=f"Groups of {servers}", as_json=as_json)


@groups.command()
@click.argument("group", type=GROUP)
@click.option("--members", is_flag=True, help="One row per member instead of per partition.")
@_json
@connection_options
def describe(
    group: str, servers: str, pairs: tuple[str, ...], *, members: bool, as_json: bool
) -> None:
    """Print GROUP's position in each partition, its lag, and who reads the partition.

    In a pipe, each partition is a line of eight fields; with --members, each member is one of five.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        with suggest_groups(admin, (group,)):
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
        show_rows(POSITIONS, rows, title=title, as_json=False, short=MEMBER_DETAILS)
    if not found.members:
        notice(f"{group} has no members now")


@groups.command(cls=ResetCommand)
@click.argument("group", type=GROUP)
@_topics
@click.option(
    "--all-topics",
    is_flag=True,
    help="All topics with positions; for a share group, all that it reads.",
)
@click.option("--to", "to", metavar="WHERE", help="earliest, latest, current, an offset or a time.")
@click.option(
    "--by", type=WholeNumber(), metavar="COUNT", help="Move forward by N records; negative: back."
)
@click.option(
    "--file",
    "file",
    type=click.File(encoding="utf-8-sig"),
    help="A file with lines of topic,partition,offset.",
)
@click.option("--share", is_flag=True, help="The group is a share group; created if missing.")
@click.option("--execute", is_flag=True, help="Apply the change; without it, only show it.")
@click.option("--export", is_flag=True, help="Print lines that --file accepts.")
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
    """Show new positions for GROUP; with --execute, set them.

    A time is for example 2013-01-01T05:00 (local unless it has a zone), or @ and milliseconds since
    1970. An offset outside a partition becomes its first or end offset; clamped_from shows the
    original. A group with members cannot be reset.
    """
    _refuse_unclear({"--to": to, "--by": by, "--file": file}, topics, all_topics=all_topics)
    if export and as_json:
        raise click.UsageError("use --export (lines) or --json (a document), not both")
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
        goes = "continues" if execute else "would continue"
        show_rows(_NEW, rows, title=f"Where {group} {goes}", as_json=as_json)
    _say_left(group, new)
    if unknown is not None and rows:
        _say_unknown(group, unknown, execute=execute)
    if rows and not execute and not export:
        click.echo("nothing changed: add --execute to apply", err=True)


@groups.command()
@click.argument("names", nargs=-1, required=True, type=GROUP, metavar="GROUP...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation; required in scripts.")
@_json
@connection_options
def delete(
    names: tuple[str, ...], servers: str, pairs: tuple[str, ...], *, yes: bool, as_json: bool
) -> None:
    """Delete groups without members, with all their positions.

    In a pipe, each deleted group is a line, even if others failed.
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
        notice(f"deleted {', '.join(gone)}")
    refused = [error for error in outcome.values() if error is not None]
    for error in refused[:-1]:
        print(f"barnabas: {with_hints(error)}", file=sys.stderr)
    if refused:
        raise refused[-1]


@groups.command("delete-offsets")
@click.argument("group", type=GROUP)
@_topics
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation; required in scripts.")
@connection_options
def delete_offsets(
    group: str, servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], *, yes: bool
) -> None:
    """Delete GROUP's positions in topics that no member subscribes to.

    A share group deletes whole topics, and only while it has no members.
    """
    if not topics:
        raise click.UsageError("name the topics with --topic")
    _confirm(f"Delete the positions of {group} in {', '.join(topics)}?", yes=yes)
    with administering(servers, client_settings(servers, pairs)) as admin:
        gone = forget(admin, group, topics)
    notice(f"deleted the positions of {group}: {gone}")


def _ended(name: str, error: KafkaError | None) -> dict[str, object]:
    message = None if error is None else with_hints(error)
    return {"group": name, "deleted": error is None, "error": message}


def _refuse_unclear(
    ways: Mapping[str, object], topics: tuple[str, ...], *, all_topics: bool
) -> None:
    """Check that exactly one of the ways to choose a position was given, and topics, or a file."""
    given = [option for option, value in ways.items() if value is not None]
    if len(given) != 1:
        instead = f", not {' and '.join(given)}" if given else ""
        raise click.UsageError(
            f"choose the new position with one of --to, --by and --file{instead}"
        )
    if given == ["--file"]:
        if topics or all_topics:
            more = "--all-topics" if all_topics else "--topic"
            raise click.UsageError(f"the lines of --file name the topics: leave out {more}")
    elif bool(topics) == all_topics:
        both = ", not both" if all_topics else ""
        raise click.UsageError(f"name the topics with --topic or --all-topics{both}")


def _say_clamped(new: ResetPlan) -> None:
    """The output of a plan has no column for it."""
    for where, asked in sorted(new.clamped.items()):
        message = f"{shown(where)} has no offset {asked}: it continues at {new.offsets[where]}"
        print(f"barnabas: {message}", file=sys.stderr)


def _say_left(group: str, new: ResetPlan) -> None:
    if not new.left:
        return
    few = ", ".join(map(shown, new.left[:_FEW]))
    more = f" and {len(new.left) - _FEW} more" if len(new.left) > _FEW else ""
    begins = (
        f"{group} has not started in {few}{more}: share.auto.offset.reset decides where it will"
    )
    nothing = "" if new.offsets else "there is nothing to move: "
    print(f"barnabas: {nothing}{begins}", file=sys.stderr)


def _say_unknown(group: str, like: str, *, execute: bool) -> None:
    """Report a group that did not exist, also in scripts: its name may be misspelled."""
    what = (
        f"group {group} did not exist: it was created"
        if execute
        else f"there is no group {group}: --execute would create it"
    )
    print("; ".join(filter(None, (f"barnabas: {what}", like))), file=sys.stderr)


def _confirm(question: str, *, yes: bool) -> None:
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("no terminal to ask for confirmation: --yes confirms")
    if not yes:
        click.confirm(question, abort=True, err=True)
