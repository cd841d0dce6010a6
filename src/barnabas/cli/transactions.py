"""`barnabas transactions`: list, describe, find those that hang, abort. Rules are the broker's."""

import sys

import click

from barnabas import Admin
from barnabas.cli.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.names import named
from barnabas.cli.output import Moment, counted, show_json, show_rows, tell
from barnabas.cli.usage import HintingGroup
from barnabas.client.core.absence import meant
from barnabas.client.core.transaction_descriptions import TRANSACTION_STATES, TransactionDescription
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

_IDLE_MINUTES = 20
"""As long as any transaction may be open by default, and five minutes. Source: Kafka's tool."""

_ONGOING = "Ongoing"
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
    type=click.Choice(TRANSACTION_STATES, case_sensitive=False),
    help="Only those that are in one of these.",
)
@click.option("--running", type=int, default=-1, metavar="MS", help="Only those open for longer.")
@_json
@connection_options
def list_transactions(
    servers: str, pairs: tuple[str, ...], states: tuple[str, ...], running: int, *, as_json: bool
) -> None:
    """Print all transactional ids."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = admin.list_transactions(states=states, running_ms=running)
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
        [(*row, ",".join(map(_named, found.partitions)))],
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


@transactions.command("find-hanging")
@click.option("-t", "--topic", "topics", multiple=True, callback=named("topic"), help="Only here.")
@click.option(
    "--idle", type=float, default=_IDLE_MINUTES, show_default=True, metavar="MINUTES",
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
        found = admin.hanging_transactions(_partitions(admin, topics), since)
        if not found:
            _say_none(len(admin.list_transactions(states=(_ONGOING,))), idle)
    rows = [
        (
            one.transactional_id,
            one.producer.producer_id,
            one.producer.epoch,
            Moment(one.producer.last_timestamp),
            _named(one.where),
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
@click.argument("start_offset", type=int, metavar="[START_OFFSET]", required=False)
@click.option(
    "--transactional-id",
    callback=named("transactional id"),
    help="Fence this producer, and abort what it has open.",
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

    TOPIC:PARTITION and START_OFFSET are what find-hanging prints in its last two columns.
    """
    by_place = partition is not None and start_offset is not None
    if by_place == (transactional_id is not None):
        raise click.UsageError(
            f"say TOPIC:PARTITION and START_OFFSET, which {_FINDER} prints, or --transactional-id"
        )
    with administering(servers, client_settings(servers, pairs)) as admin:
        if transactional_id is not None:
            # Fencing one that is not there would make it, and say nothing.
            _described(admin, transactional_id)
            admin.fence_producer(transactional_id)
            tell(f"aborted what {transactional_id} had open")
            return
        assert partition is not None
        assert start_offset is not None
        where = _place(partition)
        if where.partition >= len(existing_topics(admin, (where.topic,))[where.topic].partitions):
            raise ConfigError(f"{where.topic} has no partition {where.partition}")
        try:
            admin.abort_transaction(where, start_offset)
        except BrokerError as error:
            if error.code is ErrorCode.INVALID_TXN_STATE:
                error.add_note(_open_there(admin, where))
            raise
    tell(f"aborted the transaction of {_named(where)} that began at {start_offset}")


def _named(where: TopicPartition) -> str:
    return f"{where.topic}:{where.partition}"


def _place(text: str) -> TopicPartition:
    """What `_named` writes; TOPIC-PARTITION as well: no name of a topic has a colon."""
    topic, _, index = text.rpartition(":" if ":" in text else "-")
    if not topic or not (index.isascii() and index.isdecimal()):
        raise click.UsageError(f"{text} is not TOPIC:PARTITION")
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
