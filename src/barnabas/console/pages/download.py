"""Records as a file: those of the page and all that follow, up to a limit."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.aio import Consumer
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import one_of, whole_number, wrong
from barnabas.console.records.record_files import KINDS, CommaSeparated, RecordFile
from barnabas.console.records.record_query import RecordQuery, reading, record_query
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.records.start_position import StartPosition
from barnabas.console.streams import DownloadMemory, EndedEarly, LimitedResponse
from barnabas.errors import KafkaError
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock

USUAL_MOST: Final = 10_000
"""Records of a file, where a request names no number."""

_MOST: Final = 1_000_000
_AT_ONCE: Final = 1000
_AT_ONCE_BYTES: Final = 8 << 20
_BY_SCHEMA: Final = ("auto", "schema")
_PIECE: Final = 256 << 10
"""Bytes that are sent at once: no more than the browser takes is copied."""

_SECONDS: Final = 600.0

_log = logging.getLogger(__name__)


async def download(request: Request) -> Response:
    """Send a file of the records that a page shows (`kind`), and of at most `most` in all.

    The records of a partition are in order of their offsets, wherever the page began. A file that
    would lack records for another reason than `most` is not completed: the browser reports it.
    """
    request.app.state.downloads.check()
    kind = one_of(request.query_params, "kind", tuple(KINDS))
    most = whole_number(request.query_params, "most", USUAL_MOST, low=1, high=_MOST)
    cluster: ClusterState = request.app.state.cluster
    asked = await record_query(request, await cluster.topic(request.path_params["topic"]))
    make, media = KINDS[kind]
    try:
        by_schema = kind == "csv" and request.query_params.get("as", "auto") in _BY_SCHEMA
        file = CommaSeparated(request.app.state.schemas) if by_schema else make()
    except ImportError as error:
        raise wrong(f"this file needs a package: pip install {error.name}") from None
    name = f"{asked.view.name}.{kind}"
    return LimitedResponse(
        _pieces(request, asked, file, most),
        request.app.state.downloads,
        media_type=media,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _pieces(
    request: Request, asked: RecordQuery, file: RecordFile, most: int
) -> AsyncIterator[bytes | memoryview]:
    """The bytes of the file.

    Raises:
        EndedEarly: the file would lack records.
    """
    held: DownloadMemory = request.app.state.held
    until = SystemClock().monotonic() + _SECONDS
    try:
        async with reading(request.app.state.settings, asked.isolation) as consumer:
            forward = await _forward(consumer, asked, most, until)
            async with aclosing(_parts(consumer, forward, most, until)) as parts:
                async for records in parts:
                    size = sum(len(one.key or b"") + len(one.value or b"") for one in records)
                    async with held.taken(size):
                        async with held.encoding:
                            data = memoryview(await asyncio.to_thread(file.add, records))
                        del records
                        for at in range(0, len(data), _PIECE):
                            yield data[at : at + _PIECE]
    except (KafkaError, EndedEarly) as error:
        _log.warning("a download of %s ended early: %s", asked.view.name, error)
        raise EndedEarly(str(error)) from error
    yield file.end()


async def _forward(consumer: Consumer, asked: RecordQuery, most: int, until: float) -> RecordQuery:
    """The same records from their first one on: a file has them in order.

    Of a page that goes backward, the beginning is looked for first. No records are kept for it.
    """
    if not asked.start.backward:
        return asked
    ends, lows = asked.start.places, dict(asked.start.places)
    async with aclosing(_parts(consumer, asked, most, until, lows)) as parts:
        async for _ in parts:
            pass
    bounds = {
        one: (first, min(end, ends.get(one, end))) for one, (first, end) in asked.bounds.items()
    }
    return replace(asked, start=StartPosition(lows, backward=False), bounds=bounds)


async def _parts(
    consumer: Consumer,
    asked: RecordQuery,
    most: int,
    until: float,
    reached: dict[int, int] | None = None,
) -> AsyncGenerator[Sequence[Record], None]:
    """The records in parts: each is what a page would have, for a budget of its own.

    `reached`: where partitions end up.

    Raises:
        EndedEarly: a record is damaged, or it takes too long.
    """
    clock = SystemClock()
    while most:
        if clock.monotonic() >= until:
            raise EndedEarly(f"it took more than {_SECONDS:.0f} seconds")
        part = replace(asked, count=min(most, _AT_ONCE))
        found = await part.run(consumer, ScanBudget(clock, bytes=_AT_ONCE_BYTES))
        most -= len(found.records)
        if reached is not None:
            # Of those that are not in it, everything was read.
            reached.update(
                {one: found.following.get(one, asked.bounds[one][0]) for one in asked.start.places}
            )
        yield found.records
        if found.problem:
            raise EndedEarly(found.problem)
        if not found.following:
            break
        asked = replace(asked, start=StartPosition(found.following, asked.start.backward))
