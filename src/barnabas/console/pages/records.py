"""The records of a topic: from a place, filtered, or as they come."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.decoding.value_view import FORMATS
from barnabas.console.pages.live import LIVE_PARAMETERS
from barnabas.console.records.record_query import (
    COUNTS,
    RecordQuery,
    decoder_of,
    reading,
    record_query,
)
from barnabas.console.records.record_rows import rows_of
from barnabas.console.records.record_scan import ScanBudget, ScannedRecords
from barnabas.console.records.start_position import KINDS, places_text
from barnabas.console.rendering import link, page, segment
from barnabas.runtime.clock import SystemClock

FILTERS: Final = ("key", "value", "header", "json")
_KEPT: Final = ("partition", "count", "as", *FILTERS)
"""What the next page has from this one."""


async def records(request: Request) -> Response:
    """Show records."""
    asked = await record_query(request)
    decoder = decoder_of(request)
    query = request.query_params
    live = query.get("live") == "1"
    budget = ScanBudget(SystemClock())
    async with reading(request.app.state.settings) as consumer:
        found = await asked.run(consumer, budget)
    rows = await rows_of(found.records, decoder)
    if asked.start.backward:
        rows.reverse()  # The newest is first.
    here = f"/topics/{segment(asked.view.name)}/records"
    kept = {name: query.get(name, "") for name in _KEPT}
    return page(
        request,
        "records.html",
        view=asked.view,
        rows=rows,
        found=found,
        here=here,
        query=query,
        kept=kept,
        choices={"counts": COUNTS, "formats": FORMATS, "kinds": KINDS},
        count=asked.count,
        backward=asked.start.backward,
        following=_following(here, kept, asked, found),
        live=link(f"{here}/live", **{name: query.get(name) for name in LIVE_PARAMETERS})
        if live
        else "",
        downloads=_downloads(here, dict(query)),
    )


def _following(here: str, kept: dict[str, str], asked: RecordQuery, found: ScannedRecords) -> str:
    """Where the next page is; nothing at the end."""
    if not found.following:
        return ""
    name = "before" if asked.start.backward else "at"
    return link(here, **{**kept, name: places_text(found.following)})


def _downloads(here: str, query: dict[str, Any]) -> list[tuple[str, str]]:
    query.pop("live", None)
    query.pop("count", None)
    return [
        (name, link(f"{here}/download", **{**query, "kind": kind}))
        for kind, name in (("jsonl", "JSON lines"), ("csv", "CSV"), ("parquet", "Parquet"))
    ]
