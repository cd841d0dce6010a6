"""Records as they come: a stream of rows, at most so many a second that somebody can look at them."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.records.record_filter import filter_of
from barnabas.console.records.record_query import decoder_of, reading
from barnabas.console.records.record_rows import rows_of
from barnabas.console.records.start_position import partitions_of
from barnabas.console.rendering import segment, templates
from barnabas.console.streams import STREAM_HEADERS, CountedResponse
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition

LIVE_PARAMETERS: Final = ("partition", "as", "key", "value", "header", "json")
_MOST_ROWS: Final = 50
_AT_ONCE: Final = 5000
_EVERY_S: Final = 0.5


async def live(request: Request) -> Response:
    """Send the records that arrive from now on, as rows; what is too much is counted."""
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    partitions = partitions_of(view, request.query_params)
    wanted, decoder = filter_of(request.query_params), decoder_of(request)
    request.app.state.streams.check()
    row = templates().get_template("record_row.html")

    async def events() -> AsyncIterator[str]:
        try:
            async with reading(request.app.state.settings) as consumer:
                consumer.assign([TopicPartition(view.name, one) for one in partitions])
                consumer.seek_to_end()
                for one in partitions:
                    await consumer.position((view.name, one))
                yield _event(rows=[], more=0)
                while not await request.is_disconnected():
                    polled = await consumer.poll(_EVERY_S, _AT_ONCE)
                    fitting = [record for record in polled if wanted.keeps(record)]
                    shown = fitting[-_MOST_ROWS:]
                    rows = [
                        row.render(row=each, here=f"/topics/{segment(view.name)}/records")
                        for each in await rows_of(shown, decoder)
                    ]
                    if fitting:
                        yield _event(rows=rows, more=len(fitting) - len(shown))
                    await asyncio.sleep(_EVERY_S)
        except KafkaError as error:
            yield _event(problem=str(error))

    return CountedResponse(events(), request.app.state.streams, STREAM_HEADERS)


def _event(**news: object) -> str:
    return f"data: {json.dumps(news)}\n\n"
