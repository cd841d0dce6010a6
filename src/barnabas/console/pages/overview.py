"""The overview: brokers, sizes of things, rates and lag that move."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.rates import ClusterRates, RateSampler
from barnabas.console.rendering import number_text, page, rate_text, segment
from barnabas.console.streams import STREAM_HEADERS

_SOON_S: Final = 0.1
"""How long the first page waits for the first lag; what is later comes by itself."""


async def overview(request: Request) -> Response:
    """Show the cluster."""
    cluster: ClusterState = request.app.state.cluster
    sampler: RateSampler = request.app.state.rates
    described = await cluster.admin.describe_cluster()
    views = list((await cluster.topics()).values())
    rates = sampler.latest()
    if rates.lag is None:
        try:
            rates = await asyncio.wait_for(sampler.following(), _SOON_S)
        except TimeoutError:
            rates = sampler.latest()
    offline = [one for view in views for one in view.partitions if one.leader < 0]
    lacking = [
        one for view in views for one in view.partitions if len(one.in_sync) < len(one.replicas)
    ]
    return page(
        request,
        "overview.html",
        cluster=described,
        topics=sum(not view.internal for view in views),
        internal=sum(view.internal for view in views),
        partitions=sum(len(view.partitions) for view in views),
        offline=len(offline),
        lacking=len(lacking),
        leads=_leads(views),
        rates=rates,
        problem=sampler.problem,
    )


def _leads(views: list[Any]) -> dict[int, int]:
    """How many partitions each broker leads."""
    counts: dict[int, int] = {}
    for view in views:
        for one in view.partitions:
            counts[one.leader] = counts.get(one.leader, 0) + 1
    return counts


async def overview_events(request: Request) -> Response:
    """The numbers of the overview, each time they are new."""
    sampler: RateSampler = request.app.state.rates

    async def events() -> AsyncIterator[str]:
        while not await request.is_disconnected():
            rates = await sampler.following()
            yield f"data: {json.dumps(_shown(rates, sampler.problem))}\n\n"

    return StreamingResponse(events(), headers=STREAM_HEADERS)


def _shown(rates: ClusterRates, problem: str) -> dict[str, Any]:
    """What the page's script puts into elements of these names."""
    return {
        "text": {
            "records-in": rate_text(rates.records_in),
            "records-out": rate_text(rates.records_out),
            "lag": number_text(rates.lag),
            "groups": number_text(rates.groups),
            "problem": problem,
        },
        "busiest": [
            [name, f"/topics/{segment(name)}", rate_text(rate)] for name, rate in rates.busiest
        ],
    }
