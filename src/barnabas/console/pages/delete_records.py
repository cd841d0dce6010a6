"""Delete the oldest records of a topic, or all: choose up to where, look at what goes, confirm."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.cluster.group_move import moves_of, moves_text, places_of, planned
from barnabas.console.forms import form_of, wrong
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.console.security import check_change, refuse_if_read_only
from barnabas.errors import BrokerError, ErrorCode

_COMPACTED = (
    "the brokers delete no records of this topic, because its cleanup.policy is not delete: compaction "
    "removes a key's records when one without a value follows"
)


async def delete_records(request: Request) -> Response:
    """The form; with `to` also what it would delete. Posted with a plan, carry it out."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    query = request.query_params
    show_again(request, "delete_records.html", view=view, query=query, deletions=None, plan="")
    if request.method == "POST":
        form = await form_of(request)
        check_change(request, form)
        before = moves_of(form.get("plan", ""))
        if others := sorted({where.topic for where in before} - {view.name}):
            raise wrong(f"this page deletes records of {view.name}, not of {others[0]}")
        try:
            await cluster.admin.delete_records(before)
        except BrokerError as error:
            if error.code is not ErrorCode.POLICY_VIOLATION:
                raise
            raise wrong(_COMPACTED) from None
        cluster.forget()
        return RedirectResponse(link(f"/topics/{segment(view.name)}", done="emptied"), 303)
    deletions = None
    if "to" in query:
        chosen = await places_of(cluster, {**query, "topic": view.name}, ())
        with_leader = set(led(view))
        places = [where for where in chosen if where in with_leader]
        first = {where: start for where, (start, _) in (await cluster.bounds(places)).items()}
        moves = await planned(cluster, query, places, first)
        deletions = [one for one in moves if one.now is not None and one.then > one.now]
    return page(
        request,
        "delete_records.html",
        view=view,
        query=query,
        deletions=deletions,
        plan="" if deletions is None else moves_text(deletions),
    )
