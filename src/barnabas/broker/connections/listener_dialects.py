"""The dialect of a listener's connections, and the handlers of its requests."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.dispatch import HANDLERS
from barnabas.config.listeners import KAFKA, PROPOSAL
from barnabas.dialects.dialect import Dialect
from barnabas.protocol.api_keys import ApiKey

Handlers = Mapping[int, Callable[[Broker, RequestContext, object], object]]


_FETCHED = 1 << 20
"""The bytes that consumers of Kafka 0.7 fetch of a partition by default (`fetch.size`)."""


class ListenerDialect(NamedTuple):
    """A dialect for one connection, and the handlers by the API key that it gives requests."""

    dialect: Dialect
    handlers: Handlers


def dialect_for(dialect: str, broker: Broker) -> ListenerDialect:
    """What a new connection of a listener with that dialect speaks."""
    if dialect == KAFKA:
        return ListenerDialect(broker.profile.dialect(broker.ways), HANDLERS)
    # Imported late: a broker starts faster without it, and most have no such listener.
    from barnabas.broker.apis07 import fetch, offsets, produce
    from barnabas.dialects.kafka07.requests import Kafka07Dialect

    most_bytes = broker.config.socket_request_max_memory_bytes
    handlers: dict[int, Callable[..., object]] = {
        int(ApiKey.PRODUCE): produce.handle,
        int(ApiKey.FETCH): fetch.handle,
        int(ApiKey.LIST_OFFSETS): offsets.handle,
    }
    if dialect == PROPOSAL:
        from barnabas.dialects.proposal.requests import ProposalDialect

        # Seed 001 has no size in a fetch: the largest message must fit, or its reader is stuck.
        fetched = max(_FETCHED, 2 * broker.config.message_max_bytes)
        return ListenerDialect(ProposalDialect(fetched, most_bytes), handlers)
    return ListenerDialect(Kafka07Dialect(most_bytes), handlers)
