"""One record: up to 100,000 characters on the page, all of it as a download."""

import asyncio
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.decoding.value_view import FORMATS, ValueView, lightened
from barnabas.console.forms import missing, one_of, whole_number
from barnabas.console.records.aborted_records import aborted_among
from barnabas.console.records.record_filter import RecordFilter
from barnabas.console.records.record_query import decoder_of, reading
from barnabas.console.records.record_rows import headers_of, transaction_of
from barnabas.console.records.record_scan import RecordScan
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.rendering import page, segment
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition

_MOST_CHARACTERS: Final = 100_000
_MOST_HEADERS: Final = 200
_MOST_HEADER: Final = 500
_KEY_BYTES: Final = 25_000
_VALUE_BYTES: Final = 110_000
_HEADER_BYTES: Final = 30_000
"""Of the page: it takes less than 200 KB, whatever is in the record."""

_SECONDS: Final = 10.0
_PARTS: Final = ("value", "key")


async def record(request: Request) -> Response:
    """Show a record."""
    decoder = decoder_of(request)
    found = await record_at(request, request.path_params)
    name = found.topic
    where = TopicPartition(name, found.partition)
    cluster: ClusterState = request.app.state.cluster
    counts_bytes = await cluster.counts_bytes(name)
    stable = {} if counts_bytes else await cluster.committed_ends([where])
    ends = {found.partition: stable[where]} if where in stable else {}
    aborted = await aborted_among(request.app.state.settings, name, [found], ends)

    def views() -> list[ValueView | None]:
        return [
            lightened(decoder.view(part, _MOST_CHARACTERS, pretty=True), size)
            for part, size in ((found.key, _KEY_BYTES), (found.value, _VALUE_BYTES))
        ]

    # A thread waits for the schema registry, if there is one.
    key, value = views() if decoder.schemas is None else await asyncio.to_thread(views)
    return page(
        request,
        "record.html",
        record=found,
        here=f"/topics/{segment(name)}/records",
        key=key,
        value=value,
        headers=headers_of(found, _MOST_HEADERS, _MOST_HEADER, _HEADER_BYTES),
        more_headers=max(0, len(found.headers) - _MOST_HEADERS),
        formats=FORMATS,
        form=decoder.form,
        transaction=transaction_of(found, ends, aborted.places),
    )


async def record_bytes(request: Request) -> Response:
    """A key or a value as it is, for a file: no browser shows it."""
    part = one_of(request.query_params, "part", _PARTS)
    found = await record_at(request, request.path_params)
    data = found.value if part == "value" else found.key
    if data is None:
        raise missing(f"the {part} of this record is null")
    file = f"{found.partition}-{found.offset}-{part}.bin"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def record_at(request: Request, place: Mapping[str, str]) -> Record:
    """The record of a path's topic at `partition` and `offset` of a path or query.

    Raises:
        HTTPException: there is none.
    """
    cluster: ClusterState = request.app.state.cluster
    name = request.path_params["topic"]
    one, offset = (whole_number(place, part, 0) for part in ("partition", "offset"))
    view = await cluster.topic(name)
    if view.numbered(one) is None:
        raise missing(f"{name} has no partition {one}")
    where = TopicPartition(name, one)
    first, end = (await cluster.bounds([where]))[where]
    if not first <= offset < end:
        raise missing(
            f"partition {one} of {name} has offsets from {first} up to {end}, not {offset}"
        )
    async with reading(request.app.state.settings) as consumer:
        budget = ScanBudget(SystemClock(), seconds=_SECONDS, bytes=1 << 40)
        scan = RecordScan(consumer, name, RecordFilter().chosen, budget)
        found = await scan.forward({one: offset}, {one: (first, offset + 1)}, 1)
    if not found.records:
        what = found.problem or "it was compacted away, or is the marker of a transaction"
        raise missing(f"there is no record at offset {offset} of partition {one} of {name}: {what}")
    return found.records[0]
