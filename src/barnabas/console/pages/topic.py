"""One topic: its partitions with leader, replicas, ends and sizes, and its properties."""

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.admin.descriptions import Resource
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.pages.property_rows import property_rows
from barnabas.console.paging import paged
from barnabas.console.rendering import page
from barnabas.lens.walks.words import uuid_text
from barnabas.types import TopicPartition


async def topic(request: Request) -> Response:
    """Show a topic."""
    cluster: ClusterState = request.app.state.cluster
    name = request.path_params["topic"]
    view = await cluster.topic(name)
    everything = request.query_params.get("all") == "1"
    shown = paged(view.partitions, request.query_params)
    with_leader = set(led(view))
    places = [TopicPartition(name, one.partition) for one in shown.items]
    bounds = await cluster.bounds([where for where in places if where in with_leader])
    sizes = await cluster.sizes(places)
    entries = await cluster.properties(Resource.TOPIC, name)
    rows = [
        {
            "view": one,
            "bounds": bounds.get(where),
            "size": sizes.get(where),
        }
        for one, where in zip(shown.items, places, strict=True)
    ]
    return page(
        request,
        "topic.html",
        view=view,
        topic_id=uuid_text(view.topic_id),
        rows=rows,
        shown=shown,
        entries=property_rows(entries, everything=everything),
        reported=bool(entries),
        everything=everything,
    )
