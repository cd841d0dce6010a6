"""Send one record: typed, looked at, confirmed."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from barnabas.aio import Producer
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.decoding.value_view import ValueDecoder
from barnabas.console.forms import form_of, missing
from barnabas.console.pages.record import record_at
from barnabas.console.records.new_record import SPELLINGS, NewRecord, form_of_record, record_of
from barnabas.console.rendering import link, page, segment, show_again
from barnabas.console.security import check_change, refuse_if_read_only
from barnabas.console.settings import PATIENCE_MS

_FIELDS: Final = ("partition", "key_is", "key", "value_is", "value", "headers")
_SHOWN: Final = 2000
_LARGEST: Final = 32 << 20


async def produce(request: Request) -> Response:
    """The form; posted, what it would send; posted with `confirmed`, send it.

    With `partition` and `offset`, the form is filled with that record.
    """
    refuse_if_read_only(request)
    cluster: ClusterState = request.app.state.cluster
    view = await cluster.topic(request.path_params["topic"])
    if request.method != "POST":
        query = request.query_params
        copied = form_of_record(await record_at(request, query)) if "offset" in query else {}
        return page(
            request, "produce.html", view=view, spellings=SPELLINGS, form=copied, preview=None
        )
    form = await form_of(request)
    check_change(request, form)
    typed = {name: form.get(name, "") for name in _FIELDS}
    show_again(request, "produce.html", view=view, spellings=SPELLINGS, form=typed, preview=None)
    record = record_of(form)
    if record.partition is not None and view.numbered(record.partition) is None:
        raise missing(f"{view.name} has no partition {record.partition}")
    if form.get("confirmed") == "yes":
        where = await _send(request, view.name, record)
        return RedirectResponse(link(where, done="produced"), 303)
    decoder = ValueDecoder()
    return page(
        request,
        "produce.html",
        view=view,
        spellings=SPELLINGS,
        form=typed,
        preview={
            "partition": record.partition,
            "key": decoder.view(record.key, _SHOWN),
            "value": decoder.view(record.value, _SHOWN),
            "headers": [(name, value.decode()) for name, value in record.headers],
        },
    )


async def _send(request: Request, topic: str, record: NewRecord) -> str:
    """Store a record; return the path of its page."""
    own = {"linger_ms": 0, "max_request_size": _LARGEST, "delivery_timeout_ms": 3 * PATIENCE_MS}
    properties = request.app.state.settings.client_properties(
        **own, max_block_ms=PATIENCE_MS, request_timeout_ms=PATIENCE_MS
    )
    async with Producer(properties) as producer:
        sent = await producer.send(
            topic, record.value, record.key, record.partition, None, record.headers
        )
        stored = await sent
    return f"/topics/{segment(topic)}/records/{stored.partition}/{stored.offset}"
