"""Frames of connections as they come, each field explained on a page of its own."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.forms import missing, whole_number, wrong
from barnabas.console.pages.wire import shown_frames
from barnabas.console.rendering import link, page, templates
from barnabas.console.streams import STREAM_HEADERS, LimitedResponse
from barnabas.lens.capture.conversation import SentFrame
from barnabas.lens.contents.sasl import explain_token
from barnabas.lens.languages.languages import language_of
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.watching.exchanges import WatchedExchange, api_name
from barnabas.lens.watching.frame_watch import FrameSource, Selection

_Result = TypeVar("_Result")
_EVERY_S: Final = 0.5
_MOST_ROWS: Final = 50
_MOST_LISTED: Final = 1000
_NAME_BYTES: Final = 256
_OFF: Final = (
    "this console sees no connections: start it with `barnabas serve --console-port`, or with "
    "--watch-port for a proxy to which you point a client"
)
_GONE: Final = "the broker or proxy whose connections were watched has ended"


class ExchangeRow(NamedTuple):
    """An exchange as a line of the list."""

    exchange: WatchedExchange
    name: str
    milliseconds: str


async def watch(request: Request) -> Response:
    """The connections there are; or, of a connection or a client id, the frames since somebody looks."""
    frames = _frames(request)
    values = request.query_params
    if not values.get("connection") and "client" not in values:
        found = await _done(frames.connections)
        names = {one.api_key: api_name(one.api_key) for one in found}
        return page(
            request,
            "watch.html",
            connections=found[:_MOST_LISTED],
            total=len(found),
            names=names,
            place=frames.place,
        )
    selection = _selection(values)
    exchanges = await _done(partial(frames.look, selection, 0))
    last = exchanges[-1].number if exchanges else 0
    return page(
        request,
        "watch_frames.html",
        selection=selection,
        rows=[_row(each) for each in reversed(exchanges[-_MOST_ROWS:])],
        live=link("/wire/watch/events", **_named(selection), after=last),
    )


async def watch_events(request: Request) -> Response:
    """Send the exchanges of connections as rows, while the page is open."""
    frames, selection = _frames(request), _selection(request.query_params)
    after = whole_number(request.query_params, "after", 0)
    request.app.state.streams.check()
    row = templates().get_template("watch_row.html")

    async def events() -> AsyncIterator[str]:
        last = after
        try:
            yield _event(rows=[], more=0)
            while not await request.is_disconnected():
                found = await _done(partial(frames.look, selection, last))
                if found:
                    last = found[-1].number
                    rows = [row.render(row=_row(each)) for each in found[-_MOST_ROWS:]]
                    yield _event(rows=rows, more=len(found) - len(rows), next={"after": last})
                await asyncio.sleep(_EVERY_S)
        except HTTPException as error:
            yield _event(problem=error.detail)

    return LimitedResponse(events(), request.app.state.streams, STREAM_HEADERS)


async def watched_exchange(request: Request) -> Response:
    """One request with its response, each field explained."""
    frames = _frames(request)
    number = whole_number(request.path_params, "number", 0)
    exchange = await _done(partial(frames.exchange, number))
    if exchange is None:
        raise missing("these frames are kept no longer: only the last 500 are, and at most 4 MiB")
    shown, _ = await asyncio.to_thread(lambda: shown_frames(_explained(exchange)))
    cuts = [
        (name, size, kept)
        for name, size, kept in (
            ("request", exchange.request_size, len(exchange.request)),
            ("response", exchange.response_size, len(exchange.response)),
        )
        if kept < size
    ]
    row = _row(exchange)
    selection = Selection(exchange.connection.number)
    back = link("/wire/watch", **_named(selection))
    return page(request, "watch_exchange.html", frames=shown, row=row, cuts=cuts, back=back)


def _frames(request: Request) -> FrameSource:
    """The source of connections and frames.

    Raises:
        HTTPException: there is none.
    """
    frames: FrameSource | None = request.app.state.frames
    if frames is None:
        raise missing(_OFF)
    return frames


async def _done(ask: Callable[[], _Result]) -> _Result:
    """The result of a source, which may take a moment.

    Raises:
        HTTPException: it is gone.
    """
    try:
        return await asyncio.to_thread(ask)
    except OSError:
        raise HTTPException(503, _GONE) from None


def _selection(values: Mapping[str, str]) -> Selection:
    """The connections of a query.

    Raises:
        HTTPException: it names none.
    """
    number = whole_number(values, "connection", 0)
    if not number and "client" not in values:
        raise wrong("name a connection or a client")
    return Selection(number, "" if number else values["client"])


def _named(selection: Selection) -> dict[str, Any]:
    if selection.connection:
        return {"connection": selection.connection}
    return {"client": selection.client_id}


def _event(**news: object) -> str:
    return f"data: {json.dumps(news)}\n\n"


def _row(exchange: WatchedExchange) -> ExchangeRow:
    took = exchange.took_ns
    connection = exchange.connection
    name = api_name(connection.api_key)
    if connection.dialect != "kafka":
        # Only its start: a list is not to explain all records.
        name = language_of(connection.dialect).request(exchange.request[:_NAME_BYTES]).name
    return ExchangeRow(exchange, name or "no request", "" if took is None else f"{took / 1e6:.2f}")


def _explained(exchange: WatchedExchange) -> list[SentFrame]:
    """Both frames. Of a frame that was cut, no mistakes are reported."""
    connection = exchange.connection
    language = language_of(connection.dialect)
    if connection.dialect == "kafka" and connection.api_key < 0:
        # It may be a password: nothing that is not understood is shown of it.
        token = explain_token(exchange.request, "SASL, or no request at all", "request")
        return [_sent(token, exchange.request_size)]
    request = language.request(exchange.request)
    sent = [_sent(request, exchange.request_size)]
    if exchange.response:
        asked = request.asked
        if connection.dialect == "kafka":
            asked = asked or RequestSummary(
                connection.api_key, connection.api_version, exchange.correlation_id
            )
        if asked is not None:
            response = language.response(exchange.response, asked)
            sent.append(_sent(response, exchange.response_size))
    return sent


def _sent(explained: Explained, size: int) -> SentFrame:
    if len(explained.data) < size:
        explained = replace(explained, faults=())
    return SentFrame(explained=explained, position=0, from_client=explained.kind == "request")
