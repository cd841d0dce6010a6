"""Create a topic: typed, checked by the cluster, confirmed."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.client.core.admin.descriptions import ConfigSource, NewTopic, Resource
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import INT32, form_of, whole_number, wrong
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.console.security import check_change, refuse_if_read_only

_INT16 = (1 << 15) - 1


async def create_topic(request: Request) -> Response:
    """The form, or that of a topic `like`; posted, what would be created; `confirmed`, create it."""
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    if request.method != "POST":
        like = request.query_params.get("like", "")
        copied = await _form_of(cluster, like) if like else {}
        return page(request, "create_topic.html", form=copied, wanted=None)
    form = await form_of(request)
    check_change(request, form)
    show_again(request, "create_topic.html", form=form, wanted=None)
    wanted = _topic(form)
    if form.get("confirmed") == "yes":
        await cluster.admin.create_topics([wanted])
        cluster.forget()
        return RedirectResponse(link(f"/topics/{segment(wanted.name)}", done="created"), 303)
    await cluster.admin.create_topics([wanted], validate_only=True)
    return page(request, "create_topic.html", form=form, wanted=wanted)


async def _form_of(cluster: ClusterState, name: str) -> dict[str, str]:
    """A form for a topic with the partitions, replicas and own properties of another.

    Raises:
        HTTPException: there is no such topic.
    """
    view = await cluster.topic(name)
    entries = await cluster.properties(Resource.TOPIC, name)
    own = {
        name: one.value
        for name, one in entries.items()
        if one.source is ConfigSource.TOPIC and one.value is not None
    }
    return {
        "partitions": str(len(view.partitions)),
        "replicas": str(max((len(one.replicas) for one in view.partitions), default=1)),
        "configs": "\n".join(f"{key}={value}" for key, value in own.items()),
    }


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
        whole_number(form, "partitions", -1, low=1, high=INT32),
        whole_number(form, "replicas", -1, low=1, high=_INT16),
        configs,
    )
