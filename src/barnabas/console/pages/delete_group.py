"""Delete a group with its positions: its name must be typed."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of
from barnabas.console.cluster.group_move import blocked
from barnabas.console.forms import check_typed, form_of, wrong
from barnabas.console.rendering import link, page, show_again
from barnabas.console.security import check_change, refuse_if_read_only


async def delete_group(request: Request) -> Response:
    """Say what would be lost; posted with the group's name in `typed`, delete it."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    name = request.query_params.get("name", "")
    found = await cluster.group(name)
    if request.method == "POST":
        form = await form_of(request)
        check_change(request, form)
        if form.get("typed") != name:
            lost = await _lost(cluster, found)
            show_again(request, "delete_group.html", **lost, typed=form.get("typed", ""))
        check_typed(form, "typed", name)
        if why := blocked(found):
            raise wrong(why)
        await cluster.admin.delete_groups([name])
        cluster.forget()
        return RedirectResponse(link("/groups", done="group-deleted"), 303)
    return page(request, "delete_group.html", **await _lost(cluster, found), typed="")


async def _lost(cluster: ClusterState, group: GroupDescription) -> dict[str, Any]:
    """The data that would be lost, for the page."""
    positions = (await positions_of(cluster, [group]))[group.group_id]
    saved = [one for one in positions if one.position is not None]
    return {
        "group": group,
        "blocked": blocked(group),
        "positions": len(saved),
        "topics": sorted({one.where.topic for one in saved}),
    }
