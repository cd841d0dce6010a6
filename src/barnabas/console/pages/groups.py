"""The list of groups of all kinds, with their lag."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.admin.group_descriptions import GROUP_KINDS
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of, total_lag
from barnabas.console.deferred_lists import address_of_the_rest, waits
from barnabas.console.forms import one_of
from barnabas.console.paging import paged
from barnabas.console.rendering import page

_ALL: Final = "all"


async def groups(request: Request) -> Response:
    """Show the groups whose names contain `q`, of one `kind` or all."""
    cluster: ClusterState = request.app.state.cluster
    query = request.query_params
    wanted = query.get("q", "").strip()
    kind = one_of(query, "kind", (_ALL, *GROUP_KINDS))
    known = await (cluster.groups() if waits(request) else cluster.groups_soon())
    if known and not waits(request) and await cluster.topics_soon() is None:
        known = None  # The ends of their partitions come with the list of topics.
    later = "" if known is not None else address_of_the_rest(request)
    found = [
        one
        for name, one in sorted((known or {}).items())
        if wanted.lower() in name.lower() and kind in (_ALL, one.kind)
    ]
    shown = paged(found, query)
    positions = await positions_of(cluster, shown.items)
    rows = [
        {
            "group": one,
            "lag": total_lag(positions[one.group_id]),
            "topics": len({each.where.topic for each in positions[one.group_id]}),
        }
        for one in shown.items
    ]
    return page(
        request, "groups.html", rows=rows, shown=shown, q=wanted, kind=kind,
        kinds=(_ALL, *GROUP_KINDS), later=later,
    )  # fmt: skip
