"""Delete a topic: its name must be typed, because nothing brings its records back."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.console.forms import check_typed, form_of
from barnabas.console.rendering import link, page, show_again
from barnabas.console.security import check_change, refuse_if_read_only


async def delete_topic(request: Request) -> Response:
    """Say what would be lost; posted with the name, delete it."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    if request.method == "POST":
        form = await form_of(request)
        check_change(request, form)
        if form.get("name") != view.name:
            lost = await _lost(cluster, view)
            show_again(request, "delete_topic.html", **lost, typed=form.get("name", ""))
        check_typed(form, "name", view.name)
        await cluster.admin.delete_topics([view.name])
        cluster.forget()
        return RedirectResponse(link("/topics", done="deleted"), 303)
    return page(request, "delete_topic.html", **await _lost(cluster, view), typed="")


async def _lost(cluster: ClusterState, view: TopicView) -> dict[str, Any]:
    """The data that would be lost, for the page."""
    places = led(view)
    bounds = await cluster.bounds(places)
    sizes = await cluster.sizes(places)
    readers = [
        group.group_id
        for group in (await cluster.groups()).values()
        if any(where.topic == view.name for one in group.members for where in one.partitions)
    ]
    return {
        "view": view,
        "records": sum(end - first for first, end in bounds.values()),
        "bytes": sum(sizes.values()),
        "readers": readers,
    }
