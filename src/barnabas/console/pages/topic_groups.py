"""The groups that read a topic: with a position in it, or with members assigned to it."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of, total_lag
from barnabas.console.paging import paged
from barnabas.console.rendering import page

_MOST_GROUPS: Final = 2000
"""Of more groups, positions are a response of many megabytes."""


async def topic_groups(request: Request) -> Response:
    """Show the groups of a topic with their lag in it."""
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    known = sorted((await cluster.groups()).items())
    asked = [each for _, each in known[:_MOST_GROUPS]]
    positions = await positions_of(cluster, asked, topic=view.name)
    rows = [
        {
            "group": one,
            "partitions": len(positions[one.group_id]),
            "lag": total_lag(positions[one.group_id]),
        }
        for one in asked
        if positions[one.group_id]
    ]
    return page(
        request,
        "topic_groups.html",
        view=view,
        shown=paged(rows, request.query_params),
        asked=len(asked),
        unasked=len(known) - len(asked),
    )
