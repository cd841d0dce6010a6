"""What the connections of a listener speak, and who carries it out."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.dispatch import HANDLERS
from barnabas.broker.profile import Profile
from barnabas.config.listeners import KAFKA
from barnabas.dialects.dialect import Dialect
from barnabas.protocol.api_keys import ApiKey

Handlers = Mapping[int, Callable[[Broker, RequestContext, object], object]]


class Spoken(NamedTuple):
    """A dialect for one connection, and the handlers by the API key that it gives requests."""

    dialect: Dialect
    handlers: Handlers


def spoken(dialect: str, profile: Profile) -> Spoken:
    """What a new connection of a listener with that dialect speaks."""
    if dialect == KAFKA:
        return Spoken(profile.dialect(), HANDLERS)
    # Imported late: a broker starts faster without it, and most have no such listener.
    from barnabas.broker.apis07 import fetch, offsets, produce
    from barnabas.dialects.kafka07.requests import Kafka07Dialect

    handlers: dict[int, Callable[..., object]] = {
        int(ApiKey.PRODUCE): produce.handle,
        int(ApiKey.FETCH): fetch.handle,
        int(ApiKey.LIST_OFFSETS): offsets.handle,
    }
    return Spoken(Kafka07Dialect(), handlers)
