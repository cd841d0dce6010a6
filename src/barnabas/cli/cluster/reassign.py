"""`barnabas reassign`: plans moves of replicas to other brokers, shows and cancels them."""

from pathlib import Path

import click

from barnabas.cli.arguments.confirmation import confirm, yes_option
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_partitions,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import parsed, shown
from barnabas.cli.arguments.usage import HintingGroup
from barnabas.cli.cluster.current_replicas import check_brokers, replicas_of
from barnabas.cli.cluster.moves import bytes_left, bytes_to_copy, sizes_of
from barnabas.cli.cluster.plan_file import write_plan
from barnabas.cli.cluster.reassign_run import run
from barnabas.cli.cluster.replica_plan import plan as planned
from barnabas.cli.cluster.throttle import throttled_brokers, unthrottle
from barnabas.cli.output.output import Row, counted, json_option, notice, show_rows

PLANNED = ("topic", "partition", "replicas", "new_replicas", "bytes")
MOVING = ("topic", "partition", "replicas", "adding", "removing", "bytes_left")


@click.group(cls=HintingGroup)
def reassign() -> None:
    """Move replicas to other brokers, and change how many there are."""


@reassign.command()
@click.argument("topics", nargs=-1, type=TOPIC, metavar="[TOPIC]...")
@click.option(
    "--to",
    "chosen",
    multiple=True,
    type=WholeNumber(),
    metavar="BROKER",
    help="A broker that may have replicas; repeatable. Default: all.",
)
@click.option(
    "--without",
    "avoided",
    multiple=True,
    type=WholeNumber(),
    metavar="BROKER",
    help="A broker that is to have none, to be taken away; repeatable.",
)
@click.option(
    "-r",
    "--replication-factor",
    type=WholeNumber(1),
    help="How many replicas each partition gets. Default: as many as it has.",
)
@click.option(
    "--balance",
    is_flag=True,
    help="Also even out replicas and leaders, for example after a broker was added.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan, for `barnabas reassign run`; Kafka's own tool reads it, too.",
)
@json_option
@connection_options
def plan(
    *,
    topics: tuple[str, ...],
    chosen: tuple[int, ...],
    avoided: tuple[int, ...],
    replication_factor: int | None,
    balance: bool,
    output: Path | None,
    servers: str,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Work out which replicas of TOPICs (default: all) have to move. Moves nothing.

    As few as possible move: replicas on the given brokers stay, and new ones are in other racks than
    those that stay, if there are so many.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        views = existing_topics(admin, topics) if topics else admin.describe_topics()
        racks = {one.node_id: one.rack for one in admin.describe_cluster().brokers}
        current = replicas_of(views)
        sizes = sizes_of(admin.describe_log_dirs())
    check_brokers((*chosen, *avoided), racks)
    allowed = {
        one: rack
        for one, rack in racks.items()
        if one not in avoided and (not chosen or one in chosen)
    }
    targets = planned(current, allowed, replication_factor=replication_factor, balance=balance)
    if not targets:
        notice("nothing has to move")
    elif output is not None:
        write_plan(output, targets)
    rows: list[Row] = [
        (*place, [*current[place]], [*new], bytes_to_copy(place, current[place], new, sizes))
        for place, new in targets.items()
    ]
    show_rows(PLANNED, rows, title="Replicas to move", as_json=as_json)
    if output is not None and targets:
        notice(f"to move them: barnabas reassign run {output}")


@reassign.command()
@json_option
@connection_options
def status(*, servers: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """List the partitions that are being moved, and what is left to copy."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        moves = admin.list_partition_reassignments()
        sizes = sizes_of(admin.describe_log_dirs()) if moves else {}
        limited = [] if moves else throttled_brokers(admin)
    rows: list[Row] = [
        (*place, [*one.replicas], [*one.adding], [*one.removing], bytes_left(place, one, sizes))
        for place, one in sorted(moves.items())
    ]
    show_rows(MOVING, rows, title="Moving", as_json=as_json)
    if not moves:
        notice("nothing is being moved")
    if limited:
        names = ", ".join(map(str, limited))
        notice(f"brokers {names} still have a limit: barnabas reassign unthrottle removes it")


@reassign.command()
@click.argument("places", nargs=-1, type=TOPIC, metavar="[TOPIC[:PARTITION]]...")
@click.option("--all", "everything", is_flag=True, help="All moves.")
@yes_option
@connection_options
def cancel(
    *, places: tuple[str, ...], everything: bool, yes: bool, servers: str, pairs: tuple[str, ...]
) -> None:
    """Cancel moves: partitions keep the replicas that they had, and new ones are deleted."""
    if bool(places) == everything:
        raise click.UsageError("name topics or partitions, or give --all")
    wanted = [*parsed(places)]
    with administering(servers, client_settings(servers, pairs)) as admin:
        named_ones = existing_partitions(admin, wanted)
        chosen = [
            place
            for place in sorted(admin.list_partition_reassignments())
            if everything or place in named_ones
        ]
        if not chosen:
            notice("nothing is being moved")
            return
        what = f"Cancel the moves of {', '.join(map(shown, chosen))}?"
        confirm(what, yes=yes, instead=f"{what} Give --yes")
        admin.alter_partition_reassignments(dict.fromkeys(chosen))
        unthrottle(admin, {place.topic for place in chosen})
    notice(f"cancelled {counted(len(chosen), 'move')}")


@reassign.command("unthrottle")
@connection_options
def remove_throttle(servers: str, pairs: tuple[str, ...]) -> None:
    """Remove the limit of `run --throttle` from all brokers and topics."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        unthrottle(admin, admin.list_topics(internal=True), amid_moves=True)


reassign.add_command(run)
