"""Move a group: choose where to, look at what would change, confirm."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.cluster.group_lag import positions_of
from barnabas.console.cluster.group_move import (
    TARGETS,
    blocked,
    carry_out,
    moves_of,
    moves_text,
    places_of,
    planned,
)
from barnabas.console.forms import form_of, wrong
from barnabas.console.rendering import link, page, show_again
from barnabas.console.security import check_change, refuse_if_read_only


async def reset(request: Request) -> Response:
    """The form; with `to` also what it would change. Posted with a plan, carry it out."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    name = request.query_params.get("name", "")
    found = await cluster.group(name)
    query = request.query_params
    now = {
        one.where: one.position
        for one in (await positions_of(cluster, [found]))[name]
        if one.position is not None
    }
    values = {
        "group": found,
        "blocked": blocked(found),
        "topics": sorted({where.topic for where in now}),
        "query": query,
        "targets": TARGETS,
    }
    if request.method == "POST":
        form = await form_of(request)
        check_change(request, form)
        show_again(request, "reset.html", **values, moves=None, plan="")
        if why := blocked(found):
            raise wrong(why)
        await carry_out(cluster, found, moves_of(form.get("plan", "")))
        return RedirectResponse(link("/groups/one", name=name, done="moved"), 303)
    show_again(request, "reset.html", **values, moves=None, plan="")
    moves = None
    if "to" in query:
        moves = await planned(cluster, query, await places_of(cluster, query, now), now)
    return page(
        request,
        "reset.html",
        **values,
        moves=moves,
        plan="" if moves is None else moves_text(moves),
    )
