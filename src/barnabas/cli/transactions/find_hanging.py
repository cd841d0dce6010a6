"""`barnabas transactions find-hanging`: what is open in a partition and no coordinator will end."""

import sys

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.numbers import Number
from barnabas.cli.arguments.partition_names import in_typed_notation, shown
from barnabas.cli.output.output import Moment, counted, json_option, show_rows
from barnabas.cli.transactions.known import ONGOING
from barnabas.config.definition import LONG_MAX
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

_IDLE_MINUTES = 20
"""The default maximum duration of a transaction, plus five minutes. Source: Kafka's tool."""

_LONGEST_IDLE = LONG_MAX // 60_000


def _minutes(ctx: click.Context, param: click.Parameter, value: float) -> float:
    # This also refuses nan and inf, which click accepts as numbers.
    if not 0 <= value <= _LONGEST_IDLE:
        raise click.BadParameter(f"{value} is not a number of minutes from 0 on", ctx, param)
    return value


@click.command("find-hanging")
@click.option(
    "-t",
    "--topic",
    "topics",
    multiple=True,
    type=TOPIC,
    help="Only in this topic or partition.",
)
@click.option(
    "--idle", type=Number(), default=_IDLE_MINUTES, show_default=True, metavar="MINUTES",
    callback=_minutes,
    help="Only of producers silent for so long.",
)  # fmt: skip
@json_option
@connection_options
def find_hanging(
    servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], idle: float, *, as_json: bool
) -> None:
    """List transactions that are open in a partition and that no coordinator will end.

    Consumers with read_committed wait for them. The last two columns are the arguments of abort.
    Transactions that a coordinator knows are not listed here but by list; it ends them at their
    timeout.
    """
    since = SystemClock().time_ms() - int(idle * 60_000)
    with administering(servers, client_settings(servers, pairs)) as admin:
        places = _partitions(admin, topics)
        with in_typed_notation(places):
            found = admin.hanging_transactions(places, since)
        if not found:
            _say_none(len(admin.list_transactions(states=(ONGOING,))), idle)
    rows = [
        (
            one.transactional_id,
            one.producer.producer_id,
            one.producer.epoch,
            Moment(one.producer.last_timestamp),
            shown(one.where),
            one.producer.transaction_start,
        )
        for one in found
    ]
    columns = (
        *("transactional_id", "producer_id", "producer_epoch", "last_timestamp"),
        *("partition", "start_offset"),
    )
    show_rows(columns, rows, title="Transactions that hang", as_json=as_json)


def _partitions(admin: Admin, topics: tuple[str, ...]) -> list[TopicPartition]:
    known = existing_topics(admin, topics) if topics else admin.describe_topics()
    return [
        TopicPartition(name, index)
        for name, topic in known.items()
        for index in range(len(topic.partitions))
    ]


def _say_none(ongoing: int, idle: float) -> None:
    """Report that nothing hangs, also in scripts: no output could be mistaken for a failure."""
    what = f"barnabas: no transaction hangs whose producer has been silent for {idle:g} minutes"
    if ongoing:
        verb = "is" if ongoing == 1 else "are"
        what += f"; {counted(ongoing, 'transaction')} {verb} open in order: "
        what += f"`barnabas transactions list --state {ONGOING}`"
    else:
        what += ", and none is open"
    print(what, file=sys.stderr)
