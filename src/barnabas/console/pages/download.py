"""Records as a file: those of the page and all that follow, up to a limit."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import one_of, whole_number, wrong
from barnabas.console.records.record_files import KINDS, CommaSeparated, RecordFile
from barnabas.console.records.record_parts import RecordParts
from barnabas.console.records.record_query import RecordQuery, record_query
from barnabas.console.streams import DownloadMemory, EndedEarly, LimitedResponse
from barnabas.errors import KafkaError

USUAL_MOST: Final = 10_000
"""Records of a file, where a request names no number."""

_MOST: Final = 1_000_000
_BY_SCHEMA: Final = ("auto", "schema")
_PIECE: Final = 256 << 10
"""Bytes that are sent at once: no more than the browser takes is copied."""

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
    try:
        async with (
            RecordParts(request.app.state.settings, asked.isolation, held) as reader,
            aclosing(reader.in_order(asked, most)) as parts,
        ):
            async for records in parts:
                added = file.add(records)
                del records
                while piece := await _encoded(added, held):
                    for at in range(0, len(piece), _PIECE):
                        yield piece[at : at + _PIECE]
    except (KafkaError, EndedEarly) as error:
        _log.warning("a download of %s ended early: %s", asked.view.name, error)
        raise EndedEarly(str(error)) from error
    yield file.end()


async def _encoded(added: Iterator[bytes], held: DownloadMemory) -> memoryview:
    """The next piece, made on a thread; an empty one is the end."""
    async with held.encoding:
        return memoryview(await asyncio.to_thread(next, added, b""))
