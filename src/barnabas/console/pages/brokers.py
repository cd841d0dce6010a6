"""Brokers: their log directories, and their properties with where each value comes from."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from barnabas.client.core.admin.descriptions import ClusterDescription, LogDirectory, Resource
from barnabas.client.core.cluster.cluster_view import Broker
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.deferred_lists import address_of_the_rest, waits
from barnabas.console.forms import missing, whole_number
from barnabas.console.pages.property_rows import property_rows
from barnabas.console.rendering import page


async def brokers(request: Request) -> Response:
    """Show all brokers with the sizes of their logs."""
    cluster: ClusterState = request.app.state.cluster
    described = await cluster.admin.describe_cluster()
    directories = await (cluster.log_dirs() if waits(request) else cluster.log_dirs_soon())
    later = "" if directories is not None else address_of_the_rest(request)
    rows = [
        {
            "broker": one,
            "dirs": [_directory(each) for each in (directories or {}).get(one.node_id, ())],
        }
        for one in described.brokers
    ]
    return page(request, "brokers.html", cluster=described, rows=rows, later=later)


async def broker(request: Request) -> Response:
    """Show a broker; `q` filters its properties by name, `all=1` includes the defaults."""
    cluster: ClusterState = request.app.state.cluster
    described, found = await broker_of(request)
    number = found.node_id
    query = request.query_params
    wanted = query.get("q", "").strip()
    everything = query.get("all") == "1"
    entries = await cluster.properties(Resource.BROKER, str(number))
    rows = property_rows(entries, everything=everything)
    known = await (cluster.log_dirs() if waits(request) else cluster.log_dirs_soon())
    later = "" if known is not None else address_of_the_rest(request)
    return page(
        request,
        "broker.html",
        broker=found,
        is_controller=described.controller == number,
        dirs=[_directory(each) for each in (known or {}).get(number, ())],
        later=later,
        entries=[row for row in rows if wanted.lower() in row.name],
        reported=bool(entries),
        q=wanted,
        everything=everything,
    )


async def broker_of(request: Request) -> tuple[ClusterDescription, Broker]:
    """The cluster, and the broker that a path names.

    Raises:
        HTTPException: there is none of that id.
    """
    cluster: ClusterState = request.app.state.cluster
    number = whole_number(request.path_params, "broker", -1)
    described = await cluster.admin.describe_cluster()
    for one in described.brokers:
        if one.node_id == number:
            return described, one
    known = ", ".join(str(one.node_id) for one in described.brokers)
    raise missing(f"there is no broker {number} now; there are {known}")


def _directory(one: LogDirectory) -> dict[str, Any]:
    return {
        "path": one.path,
        "error": one.error.name if one.error else "",
        "partitions": len(one.sizes),
        "bytes": sum(one.sizes.values()),
        "total": one.total_bytes,
        "usable": one.usable_bytes,
    }
