"""Quotas: what users, client ids and addresses may use."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.paging import paged
from barnabas.console.rendering import page

_PARTS: Final = ("user", "client-id", "ip")


async def quotas(request: Request) -> Response:
    """Show all quotas."""
    cluster: ClusterState = request.app.state.cluster
    found = await cluster.admin.describe_client_quotas()
    rows = [
        {
            "entity": [_part(one.entity, part) for part in _PARTS],
            "name": name,
            "value": f"{value:,.15g}",
        }
        for one in found
        for name, value in sorted(one.quotas.items())
    ]
    return page(request, "quotas.html", shown=paged(rows, request.query_params))


def _part(entity: Mapping[str, str | None], part: str) -> str:
    """One part of an entity: its name, or what stands for all others."""
    if part not in entity:
        return ""
    name = entity[part]
    return "all others" if name is None else name
