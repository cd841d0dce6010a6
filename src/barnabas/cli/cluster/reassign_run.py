"""`barnabas reassign run`: begins the moves of a plan, and waits for them."""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from barnabas import Admin
from barnabas.cli.arguments.confirmation import confirm, yes_option
from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import shown
from barnabas.cli.cluster.current_replicas import check_brokers, current_replicas
from barnabas.cli.cluster.moves import bytes_to_copy, sizes_of, wait_for
from barnabas.cli.cluster.plan_file import read_plan, write_plan
from barnabas.cli.cluster.throttle import throttle, unthrottle
from barnabas.cli.output.output import Row, counted, json_option, notice, show_rows
from barnabas.errors import BrokerError, ConfigError
from barnabas.types import TopicPartition

_MOVED = ("topic", "partition", "replicas", "new_replicas")
_SETTLE_SECONDS = 10.0


@click.command()
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
@yes_option
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
        current = current_replicas(admin, targets)
        there = [one.node_id for one in admin.describe_cluster().brokers]
        check_brokers((one for brokers in targets.values() for one in brokers), there)
        sizes = sizes_of(admin.describe_log_dirs())
        total = sum(bytes_to_copy(one, current[one], new, sizes) for one, new in targets.items())
        what = f"Move {counted(len(targets), 'partition')}, copying {total:,} bytes?"
        confirm(what, yes=yes, instead=f"{what} Give --yes")
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
    show_rows(_MOVED, rows, title="Moved", as_json=as_json)
    wrong = [shown(place) for place in targets if after[place] != targets[place]]
    if wrong:
        raise ConfigError(f"not moved, because somebody has cancelled it: {', '.join(wrong)}")


def _show_begun(rows: Sequence[Row], *, as_json: bool) -> None:
    if as_json:
        show_rows(_MOVED, rows, title="Moving", as_json=True)
    notice("begun; barnabas reassign status shows how far it is")


def _moved(
    places: Iterable[TopicPartition],
    before: Mapping[TopicPartition, tuple[int, ...]],
    after: Mapping[TopicPartition, tuple[int, ...]],
) -> list[Row]:
    return [(*place, [*before[place]], [*after[place]]) for place in places]


def _settled(
    admin: Admin, targets: Mapping[TopicPartition, tuple[int, ...]]
) -> dict[TopicPartition, tuple[int, ...]]:
    """The replicas that partitions have when nothing moves any more; some brokers know them a little later."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        after = current_replicas(admin, targets)
        if after == targets or time.monotonic() > deadline:
            return after
        time.sleep(0.1)
