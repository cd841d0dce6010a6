"""A query of a topic's records and its execution, for pages and downloads."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from barnabas.aio import Consumer
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.decoding.value_view import FORMATS, ValueDecoder
from barnabas.console.forms import one_of, whole_number
from barnabas.console.records.record_filter import RecordFilter, filter_of
from barnabas.console.records.record_scan import RecordScan, ScannedRecords
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.records.start_position import (
    Bounds,
    StartPosition,
    partitions_of,
    start_of,
)
from barnabas.console.settings import ConsoleSettings
from barnabas.types import TopicPartition

ISOLATIONS: Final = ("all", "committed")
"""Whether records of open and aborted transactions are shown."""

COUNTS: Final = (25, 50, 100, 200, 500)
_USUAL_COUNT: Final = 50
_FILTERED_WIDTH: Final = 2000

_PROPERTIES: Final = {
    "allow.auto.create.topics": False,
    "auto.offset.reset": "earliest",
    "fetch.max.bytes": 8 << 20,
    "max.partition.fetch.bytes": 1 << 20,
    "fetch.max.wait.ms": 100,
}
"""Of a consumer that reads a page, and not a topic."""


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """A page of records of `view`: from `start`, within `bounds`, up to `count` that pass `wanted`."""

    view: TopicView
    start: StartPosition
    bounds: Bounds
    count: int
    wanted: RecordFilter
    counts_bytes: bool
    isolation: str = ISOLATIONS[0]

    async def run(self, consumer: Consumer, budget: ScanBudget) -> ScannedRecords:
        """Read it."""
        scan = RecordScan(
            consumer, self.view.name, self.wanted.chosen, budget, counts_bytes=self.counts_bytes
        )
        if not self.start.backward:
            return await scan.forward(self.start.places, self.bounds, self.count)
        width = self.count if self.wanted.passes_all else max(self.count, _FILTERED_WIDTH)
        return await scan.backward(self.start.places, self.bounds, self.count, width)


async def record_query(request: Request, view: TopicView) -> RecordQuery:
    """Parse the query of a request for the topic in its path.

    Raises:
        HTTPException: a name, number, time or filter is wrong.
    """
    cluster: ClusterState = request.app.state.cluster
    query: Mapping[str, str] = request.query_params
    count = whole_number(query, "count", _USUAL_COUNT, low=1, high=COUNTS[-1])
    wanted = filter_of(query, request.app.state.schemas)
    places = [TopicPartition(view.name, one) for one in partitions_of(view, query)]
    isolation = isolation_of(query)
    bounds = {where.partition: ends for where, ends in (await cluster.bounds(places)).items()}
    if isolation == "committed":
        ends = await cluster.committed_ends(places)
        bounds = {
            one: (first, max(first, min(end, ends.get(TopicPartition(view.name, one), end))))
            for one, (first, end) in bounds.items()
        }
    start = await start_of(cluster, view.name, query, bounds)
    counts_bytes = await cluster.counts_bytes(view.name)
    return RecordQuery(view, start, bounds, count, wanted, counts_bytes, isolation)


def isolation_of(query: Mapping[str, str]) -> str:
    """The isolation level of a query, one of ISOLATIONS.

    Raises:
        HTTPException: it is none of them.
    """
    return one_of(query, "isolation", ISOLATIONS)


@asynccontextmanager
async def reading(
    settings: ConsoleSettings, isolation: str = ISOLATIONS[0]
) -> AsyncIterator[Consumer]:
    """A consumer for one page."""
    level = {"isolation.level": "read_committed"} if isolation == "committed" else {}
    async with Consumer(settings.client_properties() | _PROPERTIES | level) as consumer:
        yield consumer


def decoder_of(request: Request) -> ValueDecoder:
    """The format in which a request wants values shown.

    Raises:
        HTTPException: there is no such format.
    """
    return ValueDecoder(one_of(request.query_params, "as", FORMATS), request.app.state.schemas)
