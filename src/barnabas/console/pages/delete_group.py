"""Delete a group with its positions: its name must be typed."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of
from barnabas.console.cluster.group_move import blocked
from barnabas.console.forms import check_typed, form_of, wrong
from barnabas.console.rendering import link, page
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
        check_typed(form, "typed", name)
        if why := blocked(found):
            raise wrong(why)
        await cluster.admin.delete_groups([name])
        cluster.forget()
        return RedirectResponse(link("/groups", done="group-deleted"), 303)
    positions = (await positions_of(cluster, [found]))[name]
    saved = [one for one in positions if one.position is not None]
    return page(
        request,
        "delete_group.html",
        group=found,
        blocked=blocked(found),
        positions=len(saved),
        topics=sorted({one.where.topic for one in saved}),
    )
