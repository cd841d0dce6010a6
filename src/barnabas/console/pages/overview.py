"""The overview: brokers, sizes of things, rates and lag that move."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.admin.descriptions import ClusterDescription
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.rates import ClusterRates, RateSampler
from barnabas.console.deferred_lists import address_of_the_rest, waits
from barnabas.console.rendering import number_text, page, rate_text, segment
from barnabas.console.streams import STREAM_HEADERS, LimitedResponse

_SOON_S: Final = 0.05
"""How long the first page waits for the first lag; later values arrive by themselves."""


async def overview(request: Request) -> Response:
    """Show the cluster."""
    cluster: ClusterState = request.app.state.cluster
    sampler: RateSampler = request.app.state.rates
    described: ClusterDescription | None
    known: Mapping[str, TopicView] | None
    if waits(request):
        described, known = await cluster.admin.describe_cluster(), await cluster.topics()
    else:
        # At once: each may take as long as the page has time for both.
        described, known = await asyncio.gather(cluster.described_soon(), cluster.topics_soon())
    is_whole = described is not None and known is not None
    rates = sampler.latest()
    if rates.lag is None and is_whole:
        try:
            rates = await asyncio.wait_for(sampler.following(), _SOON_S)
        except TimeoutError:
            rates = sampler.latest()
    return page(
        request,
        "overview.html",
        cluster=described,
        counts=None if known is None else _counts(known.values()),
        later="" if is_whole else address_of_the_rest(request),
        rates=rates,
        problem=sampler.problem,
        idle=_idle(rates),
    )


@dataclass(slots=True)
class _Counts:
    """`leads`: how many partitions each broker leads, internal ones included."""

    topics: int = 0
    internal: int = 0
    partitions: int = 0
    internal_partitions: int = 0
    offline: int = 0
    lacking: int = 0
    leads: Counter[int] = field(default_factory=Counter)


def _counts(views: Iterable[TopicView]) -> _Counts:
    counts = _Counts()
    for view in views:
        counts.topics += not view.internal
        counts.internal += view.internal
        if view.internal:
            counts.internal_partitions += len(view.partitions)
        else:
            counts.partitions += len(view.partitions)
        for one in view.partitions:
            counts.offline += one.leader < 0
            counts.lacking += len(one.in_sync) < len(one.replicas)
            counts.leads[one.leader] += 1
    return counts


async def overview_events(request: Request) -> Response:
    """The numbers of the overview, each time they are new."""
    sampler: RateSampler = request.app.state.rates
    request.app.state.overviews.check()

    async def events() -> AsyncIterator[str]:
        while not await request.is_disconnected():
            rates = await sampler.following()
            yield f"data: {json.dumps(_shown(rates, sampler.problem))}\n\n"

    return LimitedResponse(events(), request.app.state.overviews, STREAM_HEADERS)


def _idle(rates: ClusterRates) -> str:
    """The text shown if no topic is busy."""
    return "…" if rates.records_in is None else "None between the last two samples."


def _shown(rates: ClusterRates, problem: str) -> dict[str, Any]:
    """The values that the page's script puts into elements of these names."""
    return {
        "text": {
            "records-in": rate_text(rates.records_in),
            "records-out": rate_text(rates.records_out),
            "lag": number_text(rates.lag),
            "groups": number_text(rates.groups),
            "problem": problem,
        },
        "idle": _idle(rates),
        "busiest": [
            [name, f"/topics/{segment(name)}", rate_text(rate)] for name, rate in rates.busiest
        ],
    }
