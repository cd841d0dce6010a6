"""A live stream of records, at most as many a second as a person can follow."""

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import compress
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.aio import Consumer
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.records.record_filter import filter_of
from barnabas.console.records.record_query import decoder_of, isolation_of, reading
from barnabas.console.records.record_rows import rows_of
from barnabas.console.records.start_position import (
    partitions_of,
    places_of_text,
    places_text,
)
from barnabas.console.rendering import segment, templates
from barnabas.console.streams import STREAM_HEADERS, LimitedResponse
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition

LIVE_PARAMETERS: Final = ("partition", "as", "key", "value", "header", "json", "isolation")
_MOST_ROWS: Final = 50
_AT_ONCE: Final = 5000
_EVERY_S: Final = 0.5
_ASKED_EVERY: Final = 3
"""After so many rounds without records, check whether brokers respond."""

_PATIENCE_S: Final = 5.0


async def live(request: Request) -> Response:
    """Send the records that arrive from now on, as rows; records beyond the limit are only counted.

    With `at`, from those offsets on: an interrupted page continues where it was.
    """
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    view = await cluster.topic(request.path_params["topic"])
    partitions = [TopicPartition(view.name, one) for one in partitions_of(view, query)]
    begun_at = places_of_text(query["at"], "at") if query.get("at") else {}
    wanted, decoder = filter_of(query, request.app.state.schemas), decoder_of(request)
    isolation = isolation_of(query)
    request.app.state.streams.check()
    row = templates().get_template("record_row.html")
    here = f"/topics/{segment(view.name)}/records"

    async def events() -> AsyncIterator[str]:
        try:
            async with reading(request.app.state.settings, isolation) as consumer:
                consumer.assign(partitions)
                consumer.seek_to_end()
                for where in partitions:
                    if where.partition in begun_at:
                        consumer.seek(where, begun_at[where.partition])
                yield _event(rows=[], more=0, next={"at": await _places(consumer, partitions)})
                silent = 0
                while not await request.is_disconnected():
                    polled = await consumer.poll(_EVERY_S, _AT_ONCE)
                    fitting = [*compress(polled, await wanted.chosen(polled))]
                    shown = fitting[-_MOST_ROWS:]
                    rows = [
                        row.render(row=each, here=here) for each in await rows_of(shown, decoder)
                    ]
                    silent = 0 if polled else silent + 1
                    if polled:
                        at = await _places(consumer, partitions)
                        yield _event(rows=rows, more=len(fitting) - len(shown), next={"at": at})
                    elif silent % _ASKED_EVERY == 0:
                        yield _event(rows=[], more=0, trouble=await _trouble(cluster, partitions))
                    await asyncio.sleep(_EVERY_S)
        except KafkaError as error:
            yield _event(problem=str(error))

    return LimitedResponse(events(), request.app.state.streams, STREAM_HEADERS)


async def _places(consumer: Consumer, partitions: list[TopicPartition]) -> str:
    return places_text({one.partition: await consumer.position(one) for one in partitions})


async def _trouble(cluster: ClusterState, partitions: list[TopicPartition]) -> str:
    """Why no records come, if not for want of records: a consumer waits for brokers without an end."""
    asking = cluster.admin.list_offsets(dict.fromkeys(partitions, LATEST))
    try:
        await asyncio.wait_for(asking, _PATIENCE_S)
    except KafkaError as error:
        return f"No records can be read: {error}"
    except TimeoutError:
        return f"No records can be read: no answer in {_PATIENCE_S:.0f} seconds"
    return ""


def _event(**news: object) -> str:
    return f"data: {json.dumps(news)}\n\n"
