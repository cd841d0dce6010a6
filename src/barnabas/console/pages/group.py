"""One group: its state, its members and what they read, its lag in each partition."""

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of, total_lag
from barnabas.console.cluster.group_move import blocked
from barnabas.console.paging import paged
from barnabas.console.rendering import page


async def group(request: Request) -> Response:
    """Show a group (`name`, which may be any text)."""
    cluster: ClusterState = request.app.state.cluster
    name = request.query_params.get("name", "")
    found = await cluster.group(name)
    positions = (await positions_of(cluster, [found]))[name]
    shown = paged(positions, request.query_params)
    members = found.members[:200]
    return page(
        request,
        "group.html",
        group=found,
        members=members,
        more_members=len(found.members) - len(members),
        shown=shown,
        lag=total_lag(positions),
        blocked=blocked(found),
    )
