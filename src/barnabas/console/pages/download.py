"""Records as a file: those of the page and all that follow, up to a limit."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.aio import Consumer
from barnabas.console.forms import one_of, whole_number, wrong
from barnabas.console.records.record_files import KINDS, RecordFile
from barnabas.console.records.record_query import RecordQuery, reading, record_query
from barnabas.console.records.record_scan import ScanBudget
from barnabas.console.records.start_position import StartPosition
from barnabas.console.streams import CountedResponse
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock

_USUAL: Final = 10_000
_MOST: Final = 1_000_000
_AT_ONCE: Final = 1000
_AT_ONCE_BYTES: Final = 8 << 20
_SECONDS: Final = 600.0


async def download(request: Request) -> Response:
    """Send a file of the records that a page shows (`kind`), and of at most `most` in all."""
    request.app.state.downloads.check()
    kind = one_of(request.query_params, "kind", tuple(KINDS))
    most = whole_number(request.query_params, "most", _USUAL, low=1, high=_MOST)
    asked = await record_query(request)
    make, media = KINDS[kind]
    try:
        file = make()
    except ImportError as error:
        raise wrong(f"this file needs a package: pip install {error.name}") from None
    name = f"{asked.view.name}.{kind}"
    return CountedResponse(
        _pieces(request, asked, file, most),
        request.app.state.downloads,
        media_type=media,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _pieces(
    request: Request, asked: RecordQuery, file: RecordFile, most: int
) -> AsyncIterator[bytes]:
    async with reading(request.app.state.settings) as consumer:
        async for records in _parts(consumer, asked, most):
            if piece := file.add(records):
                yield piece
    yield file.end()


async def _parts(
    consumer: Consumer, asked: RecordQuery, most: int
) -> AsyncIterator[Sequence[Record]]:
    """The records in parts: each is what a page would have, for a budget of its own."""
    clock = SystemClock()
    until = clock.monotonic() + _SECONDS
    while most and clock.monotonic() < until:
        part = replace(asked, count=min(most, _AT_ONCE))
        found = await part.run(consumer, ScanBudget(clock, bytes=_AT_ONCE_BYTES))
        most -= len(found.records)
        yield found.records
        if not found.following or found.problem:
            break
        asked = replace(asked, start=StartPosition(found.following, asked.start.backward))
