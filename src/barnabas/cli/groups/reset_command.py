"""`barnabas groups reset`: shows where a group would continue, and moves it."""

import sys
from collections.abc import Mapping
from typing import ClassVar, TextIO

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.names import GROUP, starting
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import shown
from barnabas.cli.arguments.usage import HintingCommand
from barnabas.cli.groups.group_advice import near, without_positions
from barnabas.cli.groups.group_positions import standing
from barnabas.cli.groups.group_reset import Reset, ResetPlan, lines_of, places_of, plan
from barnabas.cli.groups.topics_option import topics_option
from barnabas.cli.output.output import json_option, show_rows
from barnabas.errors import ConfigError

_NEW = ("topic", "partition", "current_offset", "new_offset", "clamped_from")

_FEW = 3
"""The number of partitions that fit into one line."""


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


@click.command(cls=ResetCommand)
@click.argument("group", type=GROUP)
@topics_option
@click.option(
    "--all-topics",
    is_flag=True,
    help="All topics with positions; for a share group, all that it reads.",
)
@click.option(
    "--to",
    "to",
    metavar="WHERE",
    shell_complete=lambda _ctx, _param, typed: starting(typed, ("earliest", "latest", "current")),
    help="earliest, latest, current, an offset or a time.",
)
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
@json_option
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
