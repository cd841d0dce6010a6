"""`barnabas groups`: list and describe; the other commands are in files of their own."""

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.names import GROUP
from barnabas.cli.arguments.usage import HintingGroup, Spelled
from barnabas.cli.groups.delete_commands import delete, delete_offsets
from barnabas.cli.groups.group_advice import suggest_groups
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
from barnabas.cli.groups.reset_command import reset
from barnabas.cli.output.output import counted, json_option, notice, show_json, show_rows
from barnabas.client.core.admin.group_descriptions import GROUP_STATES


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
@json_option
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
@json_option
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


groups.add_command(reset)
groups.add_command(delete)
groups.add_command(delete_offsets)
