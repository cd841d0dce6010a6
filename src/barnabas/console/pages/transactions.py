"""Transactions: transactional ids and their states, and what hangs in partitions."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.admin.transaction_descriptions import TRANSACTION_STATES
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.forms import missing, one_of, whole_number
from barnabas.console.paging import paged
from barnabas.console.rendering import page
from barnabas.errors import BrokerError, ErrorCode
from barnabas.runtime.clock import SystemClock

_ALL: Final = "all"
_IDLE_MINUTES: Final = 20
"""The longest that a transaction may take by default, and five minutes. Source: Kafka's tool."""

_LONGEST: Final = 10_000_000


async def transactions(request: Request) -> Response:
    """Show the transactional ids whose names contain `q`, in one `state` or all."""
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    wanted = query.get("q", "").strip()
    state = one_of(query, "state", (_ALL, *TRANSACTION_STATES))
    states = () if state == _ALL else (state,)
    found = sorted(
        (
            one
            for one in await cluster.admin.list_transactions(states=states)
            if wanted.lower() in one.transactional_id.lower()
        ),
        key=lambda one: one.transactional_id,
    )
    return page(
        request,
        "transactions.html",
        shown=paged(found, query),
        q=wanted,
        state=state,
        states=(_ALL, *TRANSACTION_STATES),
        idle=_IDLE_MINUTES,
    )


async def transaction(request: Request) -> Response:
    """Show a transactional id (`id`, which may be any text)."""
    cluster: ClusterState = request.app.state.cluster
    name = request.query_params.get("id", "")
    try:
        found = (await cluster.admin.describe_transactions([name]))[name]
    except BrokerError as error:
        if error.code is not ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            raise
        raise missing(f"there is no transactional id {name}") from None
    return page(
        request, "transaction.html", one=found, shown=paged(found.partitions, request.query_params)
    )


async def hanging(request: Request) -> Response:
    """Look for transactions that no coordinator will end, in a `topic` or all (`idle`: minutes)."""
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    idle = whole_number(query, "idle", _IDLE_MINUTES, high=_LONGEST)
    name = query.get("topic", "").strip()
    views = [await cluster.topic(name)] if name else (await cluster.topics()).values()
    places = [where for view in views for where in led(view)]
    since = SystemClock().time_ms() - idle * 60_000
    found = await cluster.admin.hanging_transactions(places, since) if places else []
    return page(request, "hanging.html", found=found, topic=name, idle=idle, places=len(places))
