"""Create a topic: typed, checked by the cluster, confirmed."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.client.core.admin.descriptions import NewTopic
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import form_of, whole_number, wrong
from barnabas.console.rendering import link, page, segment
from barnabas.console.security import check_change, refuse_if_read_only

_INT32 = (1 << 31) - 1
_INT16 = (1 << 15) - 1


async def create_topic(request: Request) -> Response:
    """The form; posted, what the cluster would create; posted with `confirmed`, create it."""
    refuse_if_read_only(request)
    if request.method != "POST":
        return page(request, "create_topic.html", form={}, wanted=None)
    cluster: ClusterState = request.app.state.cluster
    form = await form_of(request)
    check_change(request, form)
    wanted = _topic(form)
    if form.get("confirmed") == "yes":
        await cluster.admin.create_topics([wanted])
        cluster.forget()
        return RedirectResponse(link(f"/topics/{segment(wanted.name)}", done="created"), 303)
    await cluster.admin.create_topics([wanted], validate_only=True)
    return page(request, "create_topic.html", form=form, wanted=wanted)


def _topic(form: Mapping[str, str]) -> NewTopic:
    """The topic of a form.

    Raises:
        HTTPException: a number or property is none; the rest the cluster checks.
    """
    name = form.get("name", "").strip()
    if not name:
        raise wrong("a topic needs a name")
    configs = {}
    for number, line in enumerate(form.get("configs", "").splitlines(), 1):
        if not line.strip():
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise wrong(f"properties, line {number} must be NAME=VALUE, not {line[:60]!r}")
        configs[key.strip()] = value.strip()
    return NewTopic(
        name,
        whole_number(form, "partitions", -1, low=1, high=_INT32),
        whole_number(form, "replicas", -1, low=1, high=_INT16),
        configs,
    )
