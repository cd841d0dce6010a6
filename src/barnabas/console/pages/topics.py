"""The list of topics: filtered by name, fifty a page."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.deferred_lists import address_of_the_rest, waits
from barnabas.console.paging import paged
from barnabas.console.rendering import page

_LONGEST_NAME: Final = 249


async def topics(request: Request) -> Response:
    """Show the topics whose names contain `q`; `internal=1` includes Kafka's own."""
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    wanted = query.get("q", "").strip()[:_LONGEST_NAME]
    internal = query.get("internal") == "1"
    known = await (cluster.topics() if waits(request) else cluster.topics_soon())
    later = "" if known is not None else address_of_the_rest(request)
    found = [
        view
        for view in (known or {}).values()
        if (internal or not view.internal) and wanted.lower() in view.name.lower()
    ]
    shown = paged(found, query)
    places = [where for view in shown.items for where in led(view)]
    bounds = await cluster.bounds(places)
    sizes = await cluster.sizes(places)
    rows = []
    for view in shown.items:
        own = led(view)
        rows.append(
            {
                "view": view,
                "replicas": _replicas(view),
                "records": sum(bounds[one][1] - bounds[one][0] for one in own),
                "size": sum(sizes[one] for one in own if one in sizes) if sizes else None,
            }
        )
    return page(
        request, "topics.html", rows=rows, shown=shown, q=wanted, internal=internal, later=later
    )


def _replicas(view: TopicView) -> int:
    return max((len(one.replicas) for one in view.partitions), default=0)
