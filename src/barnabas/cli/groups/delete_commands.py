"""`barnabas groups delete` and `delete-offsets`. The broker enforces the rules."""

import sys

import click

from barnabas.cli.arguments.confirmation import confirm, yes_option
from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.hints import with_hints
from barnabas.cli.arguments.names import GROUP
from barnabas.cli.groups.group_deletion import delete_each
from barnabas.cli.groups.offset_deletion import forget
from barnabas.cli.groups.topics_option import topics_option
from barnabas.cli.output.output import json_option, notice, show_json
from barnabas.errors import KafkaError


@click.command()
@click.argument("names", nargs=-1, required=True, type=GROUP, metavar="GROUP...")
@yes_option
@json_option
@connection_options
def delete(
    names: tuple[str, ...], servers: str, pairs: tuple[str, ...], *, yes: bool, as_json: bool
) -> None:
    """Delete groups without members, with all their positions.

    In a pipe, each deleted group is a line, even if others failed.
    """
    confirm(f"Delete {', '.join(names)} with all positions?", yes=yes)
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


@click.command("delete-offsets")
@click.argument("group", type=GROUP)
@topics_option
@yes_option
@connection_options
def delete_offsets(
    group: str, servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], *, yes: bool
) -> None:
    """Delete GROUP's positions in topics that no member subscribes to.

    A share group deletes whole topics, and only while it has no members.
    """
    if not topics:
        raise click.UsageError("name the topics with --topic")
    confirm(f"Delete the positions of {group} in {', '.join(topics)}?", yes=yes)
    with administering(servers, client_settings(servers, pairs)) as admin:
        gone = forget(admin, group, topics)
    notice(f"deleted the positions of {group}: {gone}")


def _ended(name: str, error: KafkaError | None) -> dict[str, object]:
    message = None if error is None else with_hints(error)
    return {"group": name, "deleted": error is None, "error": message}
