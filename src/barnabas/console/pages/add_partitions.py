"""Add partitions to a topic: typed, checked by the cluster, confirmed."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import INT32, form_of, whole_number
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.console.security import check_change, refuse_if_read_only


async def add_partitions(request: Request) -> Response:
    """The form; posted, what the cluster would do; posted with `confirmed`, do it."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    now = len(view.partitions)
    if request.method != "POST":
        return page(request, "add_partitions.html", view=view, total=None, typed="")
    form = await form_of(request)
    check_change(request, form)
    typed = form.get("total", "")
    show_again(request, "add_partitions.html", view=view, total=None, typed=typed)
    total = whole_number(form, "total", now, low=now + 1, high=INT32)
    confirmed = form.get("confirmed") == "yes"
    await cluster.admin.create_partitions({view.name: total}, validate_only=not confirmed)
    if not confirmed:
        return page(request, "add_partitions.html", view=view, total=total, typed=typed)
    cluster.forget()
    return RedirectResponse(link(f"/topics/{segment(view.name)}", done="grown"), 303)
