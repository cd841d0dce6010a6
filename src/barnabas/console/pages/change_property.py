"""Change a property of a topic or a broker: typed, checked by the cluster, confirmed."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.client.core.admin.descriptions import Resource
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import form_of, missing, one_of, wrong
from barnabas.console.pages.brokers import broker_of
from barnabas.console.pages.property_rows import property_rows
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.console.security import check_change, refuse_if_read_only

_ACTIONS = ("set", "reset")


async def topic_property(request: Request) -> Response:
    """Change a property of a topic (`name`)."""
    cluster: ClusterState = request.app.state.cluster
    name = request.path_params["topic"]
    await cluster.topic(name)
    return await _change(request, Resource.TOPIC, name, f"/topics/{segment(name)}")


async def broker_property(request: Request) -> Response:
    """Change a property of a broker (`name`)."""
    _, found = await broker_of(request)
    number = str(found.node_id)
    return await _change(request, Resource.BROKER, number, f"/brokers/{number}")


async def _change(request: Request, resource: Resource, owner: str, path: str) -> Response:
    """The form; posted, what would change; posted with `confirmed`, change it."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    form = None
    if request.method == "POST":
        form = await form_of(request)
        check_change(request, form)
    name = (form or request.query_params).get("name", "")
    entries = await cluster.properties(resource, owner)
    if name not in entries:
        raise missing(f"{resource.name.lower()} {owner} has no property {name}")
    if entries[name].read_only:
        raise wrong(f"{name} cannot be changed while the broker runs")
    (row,) = property_rows({name: entries[name]}, everything=True)
    values = {"owner": owner, "kind": resource.name.lower(), "row": row, "here": path}
    if form is None:
        return page(request, "change_property.html", form={}, asked=False, **values)
    show_again(request, "change_property.html", form=form, asked=False, **values)
    action = one_of(form, "action", _ACTIONS)
    changes = {name: form.get("value", "") if action == "set" else None}
    if form.get("confirmed") == "yes":
        await cluster.admin.alter_configs(resource, owner, changes)
        return RedirectResponse(link(path, done="changed"), 303)
    await cluster.admin.alter_configs(resource, owner, changes, validate_only=True)
    return page(request, "change_property.html", form=form, asked=True, **values)
