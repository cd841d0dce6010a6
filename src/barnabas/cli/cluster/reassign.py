"""`barnabas reassign`: move replicas to other brokers."""

import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import click

from barnabas import Admin
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
from barnabas.cli.cluster.moves import bytes_left, bytes_to_copy, sizes_of, wait_for
from barnabas.cli.cluster.plan_file import read_plan, write_plan
from barnabas.cli.cluster.replica_plan import plan as planned
from barnabas.cli.cluster.throttle import throttle, throttled_brokers, unthrottle
from barnabas.cli.output.output import Row, counted, json_option, notice, show_rows
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition

PLANNED = ("topic", "partition", "replicas", "new_replicas", "bytes")
MOVING = ("topic", "partition", "replicas", "adding", "removing", "bytes_left")
_SETTLE_SECONDS = 10.0
_yes = click.option(
    "-y", "--yes", is_flag=True, help="Do not ask for confirmation; required in scripts."
)


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
        current = _replicas(views)
        sizes = sizes_of(admin.describe_log_dirs())
    _check_brokers((*chosen, *avoided), racks)
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
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--throttle",
    "rate",
    type=WholeNumber(1),
    metavar="BYTES",
    help="Copy at most so many bytes a second from and to each broker.",
)
@click.option(
    "--undo",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="First write a plan that moves everything back; a new file.",
)
@click.option(
    "--wait/--no-wait",
    default=True,
    help="Wait until all have moved, with progress. Default: wait.",
)
@_yes
@json_option
@connection_options
def run(
    *,
    file: Path,
    rate: int | None,
    undo: Path | None,
    wait: bool,
    yes: bool,
    servers: str,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Move replicas as FILE says: a plan of `barnabas reassign plan`, or of Kafka's own tool.

    Clients go on meanwhile. The moves go on when this command is interrupted: `barnabas reassign
    status` shows them.
    """
    targets = read_plan(file)
    if undo is not None and undo.exists():
        raise ConfigError(
            f"--undo {undo}: it exists, and may be the way back of a move; name another"
        )
    with administering(servers, client_settings(servers, pairs)) as admin:
        current = _current(admin, targets)
        there = [one.node_id for one in admin.describe_cluster().brokers]
        _check_brokers((one for brokers in targets.values() for one in brokers), there)
        sizes = sizes_of(admin.describe_log_dirs())
        total = sum(bytes_to_copy(one, current[one], new, sizes) for one, new in targets.items())
        _confirm(f"Move {counted(len(targets), 'partition')}, copying {total:,} bytes?", yes=yes)
        if undo is not None:
            write_plan(undo, current)
        try:
            if rate is not None:
                throttle(admin, current, targets, rate)
            admin.alter_partition_reassignments(targets)
        except BrokerError:
            if undo is not None:
                undo.unlink()  # It was refused: there is nothing to move back.
            raise
        if not wait:
            _show_begun(_moved(targets, current, targets), as_json=as_json)
            return
        try:
            wait_for(admin, [*targets], total, quiet=as_json)
        except KeyboardInterrupt:
            print("The moves go on: see barnabas reassign status, or cancel.", file=sys.stderr)
            raise
        if rate is not None:
            unthrottle(admin, {place.topic for place in targets})
        after = _settled(admin, targets)
    rows = _moved(targets, current, after)
    show_rows(PLANNED[:-1], rows, title="Moved", as_json=as_json)
    wrong = [shown(place) for place in targets if after[place] != targets[place]]
    if wrong:
        raise ConfigError(f"not moved, because somebody has cancelled it: {', '.join(wrong)}")


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
@_yes
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
        _confirm(f"Cancel the moves of {', '.join(map(shown, chosen))}?", yes=yes)
        admin.alter_partition_reassignments(dict.fromkeys(chosen))
        unthrottle(admin, {place.topic for place in chosen})
    notice(f"cancelled {counted(len(chosen), 'move')}")


@reassign.command("unthrottle")
@connection_options
def remove_throttle(servers: str, pairs: tuple[str, ...]) -> None:
    """Remove the limit of `run --throttle` from all brokers and topics."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        unthrottle(admin, admin.list_topics(internal=True), amid_moves=True)


def _replicas(views: Mapping[str, TopicView]) -> dict[TopicPartition, tuple[int, ...]]:
    return {
        TopicPartition(name, one.partition): one.replicas
        for name, view in views.items()
        for one in view.partitions
    }


def _show_begun(rows: Sequence[Row], *, as_json: bool) -> None:
    if as_json:
        show_rows(PLANNED[:-1], rows, title="Moving", as_json=True)
    notice("begun; barnabas reassign status shows how far it is")


def _moved(
    places: Iterable[TopicPartition],
    before: Mapping[TopicPartition, tuple[int, ...]],
    after: Mapping[TopicPartition, tuple[int, ...]],
) -> list[Row]:
    return [(*place, [*before[place]], [*after[place]]) for place in places]


def _check_brokers(named: Iterable[int], there: Collection[int]) -> None:
    """Raise a ConfigError for a broker that there is not."""
    for one in named:
        if one not in there:
            known = ", ".join(map(str, sorted(there)))
            brokers = f"brokers are {known}" if len(there) > 1 else f"only broker is {known}"
            raise ConfigError(f"there is no broker {one}; the {brokers}")


def _current(
    admin: Admin, places: Mapping[TopicPartition, Sequence[int]]
) -> dict[TopicPartition, tuple[int, ...]]:
    """The replicas that partitions have.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, there is no such partition.
        ConfigError: one is being moved.
    """
    found = _replicas(existing_topics(admin, tuple({place.topic for place in places})))
    for place in places:
        if place not in found:
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            raise BrokerError(code, f"there is no partition {shown(place)}")
    moving = admin.list_partition_reassignments([*places])
    if moving:
        names = ", ".join(map(shown, sorted(moving)))
        raise ConfigError(f"{names} is being moved: wait, or see barnabas reassign cancel")
    return {place: found[place] for place in places}


def _settled(
    admin: Admin, targets: Mapping[TopicPartition, tuple[int, ...]]
) -> dict[TopicPartition, tuple[int, ...]]:
    """The replicas that partitions have when nothing moves any more; some brokers know them a little later."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        after = _current(admin, targets)
        if after == targets or time.monotonic() > deadline:
            return after
        time.sleep(0.1)


def _confirm(what: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"no terminal to ask for confirmation: {what} Give --yes")
    click.confirm(what, abort=True, err=True)
