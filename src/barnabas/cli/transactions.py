"""`barnabas transactions`: list, describe, find those that hang, abort. Rules are the broker's."""

import sys

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.places import as_typed, shown
from barnabas.cli.arguments.usage import HintingGroup, Spelled
from barnabas.cli.output.output import Moment, counted, show_json, show_rows, tell
from barnabas.client.core.admin.transaction_descriptions import (
    TRANSACTION_STATES,
    TransactionDescription,
)
from barnabas.client.core.cluster.absence import meant
from barnabas.config.definition import LONG_MAX
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

_IDLE_MINUTES = 20
"""As long as any transaction may be open by default, and five minutes. Source: Kafka's tool."""

_LONGEST_IDLE = LONG_MAX // 60_000
_ANY_TIME = -1
_ONGOING = "Ongoing"
_OPEN = (_ONGOING, "PrepareEpochFence")
"""What can still be aborted: in the others it is decided how the last transaction ends."""

_ENDING = ("PrepareCommit", "PrepareAbort")
"""Some partitions may not have been told yet how it ends; the coordinator tells them."""

_FINDER = "`barnabas transactions find-hanging`"

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document.")


@click.group(cls=HintingGroup)
def transactions() -> None:
    """Look at transactions, find and abort those that hang."""


@transactions.command("list")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=Spelled(TRANSACTION_STATES, case_sensitive=False),
    help="Only those that are in one of these.",
)
@click.option(
    "--running",
    type=click.IntRange(0, LONG_MAX),
    metavar="MS",
    help="Only those open for longer; with --state also those that have ended.",
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
    """Print all transactional ids."""
    longer = _ANY_TIME if running is None else running
    if running is not None:
        # By themselves coordinators count the time of those that have ended, too.
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
    """Print what TRANSACTIONAL_ID is doing: its producer, its state, what takes part."""
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
        show_json([dict(zip(columns, row, strict=True)) | {"partitions": places}])
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
            error.add_note(meant(name, known) or "`barnabas transactions list` shows what there is")
        raise


def _minutes(ctx: click.Context, param: click.Parameter, value: float) -> float:
    # Also neither nan nor inf, which are numbers to click.
    if not 0 <= value <= _LONGEST_IDLE:
        raise click.BadParameter(f"{value} is no count of minutes from 0 on", ctx, param)
    return value


@transactions.command("find-hanging")
@click.option("-t", "--topic", "topics", multiple=True, callback=named("topic"), help="Only here.")
@click.option(
    "--idle", type=float, default=_IDLE_MINUTES, show_default=True, metavar="MINUTES",
    callback=_minutes,
    help="Only of producers that have been silent for so long.",
)  # fmt: skip
@_json
@connection_options
def find_hanging(
    servers: str, pairs: tuple[str, ...], topics: tuple[str, ...], idle: float, *, as_json: bool
) -> None:
    """Print transactions that are open in a partition and that no coordinator will end.

    Readers of committed records wait for them. The last two columns are arguments of abort. Those
    that a coordinator knows of, list shows; it ends them once their time is over.
    """
    since = SystemClock().time_ms() - int(idle * 60_000)
    with administering(servers, client_settings(servers, pairs)) as admin:
        places = _partitions(admin, topics)
        with as_typed(places):
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
@click.argument("partition", metavar="[TOPIC:PARTITION]", required=False)
@click.argument(
    "start_offset", type=click.IntRange(0, LONG_MAX), metavar="[START_OFFSET]", required=False
)
@click.option(
    "--transactional-id",
    callback=named("transactional id"),
    help="Abort what this producer has open, and fence it.",
)
@connection_options
def abort(
    partition: str | None,
    start_offset: int | None,
    transactional_id: str | None,
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Abort one transaction: where it hangs in a partition, or all of a producer's.

    TOPIC:PARTITION and START_OFFSET are what find-hanging prints in its last two columns. A producer
    that has nothing open is left alone.
    """
    by_place, by_id = partition is not None, transactional_id is not None
    if by_place == by_id or (by_place and start_offset is None):
        both = ", not both" if by_id else ""
        what = f"say TOPIC:PARTITION and START_OFFSET, which {_FINDER} prints, "
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
            with as_typed((where,)):
                _refuse_known(admin, where, start_offset)
                admin.abort_transaction(where, start_offset)
        except BrokerError as error:
            if error.code is ErrorCode.INVALID_TXN_STATE:
                error.add_note(_open_there(admin, where))
            raise
    tell(f"aborted the transaction of {shown(where)} that began at {start_offset}")


def _abort_of(admin: Admin, name: str) -> None:
    # Fencing one that is not there would make it; a producer with nothing open would die for nothing.
    found = _described(admin, name)
    if found.state not in _OPEN:
        raise ConfigError(f"{name} has nothing open that could be aborted: it is {found.state}")
    admin.fence_producer(name)
    tell(f"aborted what {name} had open")


def _refuse_known(admin: Admin, where: TopicPartition, start: int) -> None:
    """What a coordinator knows of would lose what it wrote here, and may commit the rest."""
    (producers,) = admin.describe_producers((where,)).values()
    ids = [one.producer_id for one in producers if one.transaction_start == start]
    hanging = admin.hanging_transactions((where,), LONG_MAX) if ids else ()
    if not ids or any(one.producer.transaction_start == start for one in hanging):
        return
    found = admin.list_transactions(states=(*_OPEN, *_ENDING), producer_ids=ids)
    if not found:
        return  # It has ended between two questions: there is nothing left to abort.
    name, state = found[0].transactional_id, found[0].state
    told = f"the transaction of {shown(where)} that begins at {start} does not hang: it is one of {name}, "
    if state in _OPEN:
        told += f"which `barnabas transactions abort --transactional-id {name}` aborts as a whole"
    else:
        told += f"whose coordinator is ending it ({state})"
    raise ConfigError(told)


def _place(text: str) -> TopicPartition:
    """What `shown` writes; TOPIC-PARTITION as well: no name of a topic has a colon."""
    topic, _, index = text.rpartition(":" if ":" in text else "-")
    if not topic or not (index.isascii() and index.isdecimal()):
        example = "" if ":" in text or not text else f", as {text}:0 is"
        raise click.UsageError(f"{text} is not TOPIC:PARTITION{example}")
    return TopicPartition(topic, int(index))


def _open_there(admin: Admin, where: TopicPartition) -> str:
    """Where the transactions begin that are open in a partition, for behind an error."""
    producers = admin.describe_producers((where,))[where]
    starts = sorted(one.transaction_start for one in producers if one.transaction_start is not None)
    if not starts:
        return "none is open there"
    return f"open there: {', '.join(map(str, starts))} ({_FINDER} tells which of them hang)"


def _say_none(ongoing: int, idle: float) -> None:
    """That nothing hangs, also to a script: an empty answer alone might be taken for a failure."""
    what = f"barnabas: no transaction hangs of a producer that is silent for {idle:g} minutes"
    if ongoing:
        verb = "is" if ongoing == 1 else "are"
        what += f"; {counted(ongoing, 'transaction')} {verb} open in order: "
        what += f"`barnabas transactions list --state {_ONGOING}`"
    else:
        what += ", and none is open"
    print(what, file=sys.stderr)
