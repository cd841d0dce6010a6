"""ROUTES: which handler answers which API, in which versions. ApiVersions advertises exactly this."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Never, cast

from barnabas.broker.apis import fetch, offset_for_leader_epoch, produce
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.protocol.api_keys import ApiKey
from barnabas.versions import VersionRange

Handler = Callable[[Broker, RequestContext, Never], object]
"""Takes a command or a message of its API; gives the outcome, a Pending of it, or None: no reply."""


class Route(NamedTuple):
    """A handler, the versions it is offered in, and of these the ones it really serves."""

    handle: Handler
    versions: VersionRange
    advertised: VersionRange


def _route(handle: Handler, versions: str, advertised: str | None = None) -> Route:
    return Route(handle, VersionRange.parse(versions), VersionRange.parse(advertised or versions))


ROUTES: Mapping[ApiKey, Route] = {
    # Version 0 is offered though it is refused: older librdkafka takes a broker without it for one
    # that cannot read compressed batches, and sends them uncompressed (KAFKA-18659).
    ApiKey.PRODUCE: _route(produce.handle, "3-13", advertised="0-13"),
    ApiKey.FETCH: _route(fetch.handle, "4-18"),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: _route(offset_for_leader_epoch.handle, "2-4"),
}

SERVED: Mapping[ApiKey, VersionRange] = {key: route.versions for key, route in ROUTES.items()}


def dispatch(broker: Broker, context: RequestContext, body: object) -> object:
    """Answer one request whose API and version the dialect has checked."""
    handle = ROUTES[ApiKey(context.api_key)].handle
    return cast("Callable[[Broker, RequestContext, object], object]", handle)(broker, context, body)
