"""`barnabas transactions`: list, describe, find hanging ones, abort.

The broker enforces the rules.
"""

import sys

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC, named
from barnabas.cli.arguments.numbers import Number, WholeNumber
from barnabas.cli.arguments.partition_names import in_typed_notation, shown
from barnabas.cli.arguments.usage import HintingGroup, Spelled
from barnabas.cli.output.output import Moment, counted, notice, objects, show_json, show_rows
from barnabas.client.core.admin.transaction_descriptions import (
    TRANSACTION_STATES,
    TransactionDescription,
)
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.config.definition import LONG_MAX
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

_IDLE_MINUTES = 20
"""The default maximum duration of a transaction, plus five minutes. Source: Kafka's tool."""

_LONGEST_IDLE = LONG_MAX // 60_000
_ANY_TIME = -1
_ONGOING = "Ongoing"
_OPEN = (_ONGOING, "PrepareEpochFence")
"""States that can still be aborted; in all others the outcome is decided."""

_ENDING = ("PrepareCommit", "PrepareAbort")
"""The outcome is decided; the coordinator may still be sending it to partitions."""

_FINDER = "`barnabas transactions find-hanging`"

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group(cls=HintingGroup)
def transactions() -> None:
    """Inspect transactions, find and abort hanging ones."""


@transactions.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=Spelled(TRANSACTION_STATES, case_sensitive=False),
    help="Only those in one of these states.",
)
@click.option(
    "--running",
    type=WholeNumber(0, LONG_MAX),
    metavar="MS",
    help="Only those open for longer; with --state, also completed ones.",
)
@_json
@connection_options
def list_transactions(
    servers: str,
    pairs: tuple[str, ...],
    states: tuple[str, ...],
    running: int | None,
    *,
    as_json: bool,
) -> None:
    """List all transactional ids."""
    longer = _ANY_TIME if running is None else running
    if running is not None:
        # Coordinators would also count the age of completed ones.
        states = states or (*_OPEN, *_ENDING)
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = admin.list_transactions(states=states, running_ms=longer)
    rows = [(one.transactional_id, one.producer_id, one.state) for one in found]
    columns = ("transactional_id", "producer_id", "state")
    show_rows(columns, rows, title=f"Transactional ids of {servers}", as_json=as_json)


@transactions.command()
@click.argument("transactional_id", callback=named("transactional id"))
@_json
@connection_options
def describe(transactional_id: str, servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """Print TRANSACTIONAL_ID's producer, state and partitions."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = _described(admin, transactional_id)
    row = (
        found.transactional_id,
        found.coordinator,
        found.producer_id,
        found.producer_epoch,
        found.state,
        found.timeout_ms,
        None if found.started_ms is None else Moment(found.started_ms),
    )
    columns = (
        *("transactional_id", "coordinator", "producer_id", "producer_epoch", "state"),
        *("timeout_ms", "started_ms"),
    )
    if as_json:
        places = [where._asdict() for where in found.partitions]
        show_json([objects(columns, [row])[0] | {"partitions": places}])
        return
    show_rows(
        (*columns, "partitions"),
        [(*row, [shown(where) for where in found.partitions])],
        title=f"Transactional id {transactional_id}",
        as_json=False,
    )


def _described(admin: Admin, name: str) -> TransactionDescription:
    try:
        return admin.describe_transactions([name])[name]
    except BrokerError as error:
        if error.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            known = (one.transactional_id for one in admin.list_transactions())
            error.add_note(
                similar_names(name, known)
                or ("`barnabas transactions list` lists the transactional ids")
            )
        raise


def _minutes(ctx: click.Context, param: click.Parameter, value: float) -> float:
    # This also refuses nan and inf, which click accepts as numbers.
    if not 0 <= value <= _LONGEST_IDLE:
        raise click.BadParameter(f"{value} is not a number of minutes from 0 on", ctx, param)
    return value


@transactions.command("find-hanging")
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
@_json
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
            _say_none(len(admin.list_transactions(states=(_ONGOING,))), idle)
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


@transactions.command()
@click.argument("partition", type=TOPIC, metavar="[TOPIC:PARTITION]", required=False)
@click.argument(
    "start_offset", type=WholeNumber(0, LONG_MAX), metavar="[START_OFFSET]", required=False
)
@click.option(
    "--transactional-id",
    callback=named("transactional id"),
    help="Abort this producer's transaction, and fence the producer.",
)
@connection_options
def abort(
    partition: str | None,
    start_offset: int | None,
    transactional_id: str | None,
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Abort a hanging transaction in a partition, or the open transaction of a producer.

    TOPIC:PARTITION and START_OFFSET are the last two columns of find-hanging. A producer without an
    open transaction is left alone.
    """
    by_place, by_id = partition is not None, transactional_id is not None
    if by_place == by_id or (by_place and start_offset is None):
        both = ", not both" if by_id else ""
        what = f"give TOPIC:PARTITION and START_OFFSET, which {_FINDER} prints, "
        raise click.UsageError(f"{what}or --transactional-id{both}")
    with administering(servers, client_settings(servers, pairs)) as admin:
        if transactional_id is not None:
            _abort_of(admin, transactional_id)
            return
        assert partition is not None
        assert start_offset is not None
        where = _place(partition)
        if where.partition >= len(existing_topics(admin, (where.topic,))[where.topic].partitions):
            raise ConfigError(f"{where.topic} has no partition {where.partition}")
        try:
            with in_typed_notation((where,)):
                _refuse_known(admin, where, start_offset)
                admin.abort_transaction(where, start_offset)
        except BrokerError as error:
            if error.code is ErrorCode.INVALID_TXN_STATE:
                error.add_note(_open_there(admin, where))
            raise
    notice(f"aborted the transaction of {shown(where)} that began at {start_offset}")


def _abort_of(admin: Admin, name: str) -> None:
    # Fencing an unknown producer would create it; fencing an idle one would end it for nothing.
    found = _described(admin, name)
    if found.state not in _OPEN:
        raise ConfigError(f"{name} has no open transaction to abort: it is {found.state}")
    admin.fence_producer(name)
    notice(f"aborted the open transaction of {name}")


def _refuse_known(admin: Admin, where: TopicPartition, start: int) -> None:
    """Refuse a transaction that a coordinator knows: it would lose records here, and could commit the rest."""
    (producers,) = admin.describe_producers((where,)).values()
    ids = [one.producer_id for one in producers if one.transaction_start == start]
    hanging = admin.hanging_transactions((where,), LONG_MAX) if ids else ()
    if not ids or any(one.producer.transaction_start == start for one in hanging):
        return
    found = admin.list_transactions(states=(*_OPEN, *_ENDING), producer_ids=ids)
    if not found:
        return  # It ended between two requests: there is nothing left to abort.
    name, state = found[0].transactional_id, found[0].state
    message = (
        f"the transaction of {shown(where)} that starts at {start} does not hang: it belongs "
        f"to {name}, "
    )
    if state in _OPEN:
        message += (
            f"which `barnabas transactions abort --transactional-id {name}` aborts as a whole"
        )
    else:
        message += f"whose coordinator is ending it ({state})"
    raise ConfigError(message)


def _place(text: str) -> TopicPartition:
    """Parse TOPIC:PARTITION, or TOPIC-PARTITION.

    No topic name contains a colon.
    """
    topic, _, index = text.rpartition(":" if ":" in text else "-")
    if not topic or not (index.isascii() and index.isdecimal()):
        example = "" if ":" in text or not text else f", as {text}:0 is"
        raise click.UsageError(f"{text} is not TOPIC:PARTITION{example}")
    return TopicPartition(topic, int(index))


def _open_there(admin: Admin, where: TopicPartition) -> str:
    """The first offsets of the transactions open in a partition, as a hint."""
    producers = admin.describe_producers((where,))[where]
    starts = sorted(one.transaction_start for one in producers if one.transaction_start is not None)
    if not starts:
        return "none is open there"
    return f"open there: {', '.join(map(str, starts))} ({_FINDER} lists those that hang)"


def _say_none(ongoing: int, idle: float) -> None:
    """Report that nothing hangs, also in scripts: no output could be mistaken for a failure."""
    what = f"barnabas: no transaction hangs whose producer has been silent for {idle:g} minutes"
    if ongoing:
        verb = "is" if ongoing == 1 else "are"
        what += f"; {counted(ongoing, 'transaction')} {verb} open in order: "
        what += f"`barnabas transactions list --state {_ONGOING}`"
    else:
        what += ", and none is open"
    print(what, file=sys.stderr)
