"""`barnabas transactions`: list and describe; the other commands are in files of their own."""

import click

from barnabas.cli.arguments.connection import administering, client_settings, connection_options
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.partition_names import shown
from barnabas.cli.arguments.usage import HintingGroup, Spelled
from barnabas.cli.output.output import Moment, json_option, objects, show_json, show_rows
from barnabas.cli.transactions.abort import abort
from barnabas.cli.transactions.find_hanging import find_hanging
from barnabas.cli.transactions.known import ENDING, OPEN, described
from barnabas.client.core.admin.transaction_descriptions import TRANSACTION_STATES
from barnabas.config.definition import LONG_MAX

_ANY_TIME = -1


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
@json_option
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
        states = states or (*OPEN, *ENDING)
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = admin.list_transactions(states=states, running_ms=longer)
    rows = [(one.transactional_id, one.producer_id, one.state) for one in found]
    columns = ("transactional_id", "producer_id", "state")
    show_rows(columns, rows, title=f"Transactional ids of {servers}", as_json=as_json)


@transactions.command()
@click.argument("transactional_id", callback=named("transactional id"))
@json_option
@connection_options
def describe(transactional_id: str, servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """Print TRANSACTIONAL_ID's producer, state and partitions."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        found = described(admin, transactional_id)
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


transactions.add_command(find_hanging)
transactions.add_command(abort)
