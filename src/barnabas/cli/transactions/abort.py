"""`barnabas transactions abort`: a hanging transaction, or the open one of a producer."""

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC, named
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import in_typed_notation, shown
from barnabas.cli.output.output import notice
from barnabas.cli.transactions.known import ENDING, FINDER, OPEN, described
from barnabas.config.definition import LONG_MAX
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition


@click.command()
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
        what = f"give TOPIC:PARTITION and START_OFFSET, which {FINDER} prints, "
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
    found = described(admin, name)
    if found.state not in OPEN:
        raise ConfigError(f"{name} has no open transaction to abort: it is {found.state}")
    admin.fence_producer(name)
    notice(f"aborted the open transaction of {name}")


def _refuse_known(admin: Admin, where: TopicPartition, start: int) -> None:
    """Refuse a coordinator's transaction: it would lose its records here, but could commit the rest."""
    (producers,) = admin.describe_producers((where,)).values()
    ids = [one.producer_id for one in producers if one.transaction_start == start]
    hanging = admin.hanging_transactions((where,), LONG_MAX) if ids else ()
    if not ids or any(one.producer.transaction_start == start for one in hanging):
        return
    found = admin.list_transactions(states=(*OPEN, *ENDING), producer_ids=ids)
    if not found:
        return  # It ended between two requests: there is nothing left to abort.
    name, state = found[0].transactional_id, found[0].state
    message = (
        f"the transaction of {shown(where)} that starts at {start} does not hang: it belongs "
        f"to {name}, "
    )
    if state in OPEN:
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
    return f"open there: {', '.join(map(str, starts))} ({FINDER} lists those that hang)"
