"""The records of a topic: from a place, filtered, or as they come."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.decoding.value_view import FORMATS
from barnabas.console.pages.download import USUAL_MOST
from barnabas.console.pages.live import LIVE_PARAMETERS
from barnabas.console.records.aborted_records import AbortedRecords, aborted_among
from barnabas.console.records.record_query import (
    COUNTS,
    ISOLATIONS,
    RecordQuery,
    decoder_of,
    reading,
    record_query,
)
from barnabas.console.records.record_rows import rows_of
from barnabas.console.records.record_scan import ScannedRecords
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.records.start_position import KINDS, places_text
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

FILTERS: Final = ("key", "value", "header", "json")
_KEPT: Final = ("partition", "count", "as", "isolation", *FILTERS)
"""The parameters that the next page keeps."""

_MOST_BOUNDS: Final = 20
"""Of partitions, where a page has no record."""

_NOT_OF_FILES: Final = ("live", "count", "most", "kind")
_DOWNLOADS: Final = (("jsonl", "JSON lines"), ("csv", "CSV"), ("parquet", "Parquet"))


async def records(request: Request) -> Response:
    """Show records."""
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    view = await cluster.topic(request.path_params["topic"])
    here = f"/topics/{segment(view.name)}/records"
    shown = {
        "view": view,
        "here": here,
        "query": query,
        "choices": {"counts": COUNTS, "formats": FORMATS, "kinds": KINDS, "isolations": ISOLATIONS},
    }
    show_again(request, "records.html", **shown, count=COUNTS[1])
    asked = await record_query(request, view)
    decoder = decoder_of(request)
    live = query.get("live") == "1"
    budget = ScanBudget(SystemClock())
    async with reading(request.app.state.settings, asked.isolation) as consumer:
        found = await asked.run(consumer, budget)
    partitions = {TopicPartition(view.name, one.partition) for one in found.records}
    ends = {} if asked.counts_bytes else await cluster.committed_ends(partitions)
    stable = {where.partition: end for where, end in ends.items()}
    aborted = await _aborted(request, asked, found, stable)
    rows = await rows_of(found.records, decoder, stable, aborted.places)
    if asked.start.backward:
        rows.reverse()  # The newest is first.
    kept = {name: query.get(name, "") for name in _KEPT}
    return page(
        request,
        "records.html",
        **shown,
        rows=rows,
        found=found,
        unchecked=aborted.unchecked,
        bounds=[] if rows or found.following else sorted(asked.bounds.items())[:_MOST_BOUNDS],
        count=asked.count,
        backward=asked.start.backward,
        following=_following(here, kept, asked, found),
        live=link(f"{here}/live", **{name: query.get(name) for name in LIVE_PARAMETERS})
        if live
        else "",
        downloads=_DOWNLOADS,
        download={name: text for name, text in query.items() if name not in _NOT_OF_FILES},
        most=USUAL_MOST,
    )


async def _aborted(
    request: Request, asked: RecordQuery, found: ScannedRecords, ends: dict[int, int]
) -> AbortedRecords:
    if asked.isolation == "committed":
        return AbortedRecords(frozenset())
    return await aborted_among(request.app.state.settings, asked.view.name, found.records, ends)


def _following(here: str, kept: dict[str, str], asked: RecordQuery, found: ScannedRecords) -> str:
    """The address of the next page; empty at the end."""
    if not found.following:
        return ""
    name = "before" if asked.start.backward else "at"
    return link(here, **{**kept, name: places_text(found.following)})
