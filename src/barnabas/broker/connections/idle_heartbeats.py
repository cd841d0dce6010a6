"""Pulse: what is known of a client that does nothing on its connection but to say that it is alive."""

from collections.abc import Callable
from importlib import import_module

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.repeated import Repeated
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.send import Send

_APIS = {
    int(ApiKey.HEARTBEAT): "heartbeat",
    int(ApiKey.CONSUMER_GROUP_HEARTBEAT): "consumer_group_heartbeat",
    int(ApiKey.SHARE_GROUP_HEARTBEAT): "share_group_heartbeat",
    int(ApiKey.STREAMS_GROUP_HEARTBEAT): "streams_group_heartbeat",
}
"""The modules that know a short way."""

HEARTBEATS = frozenset(_APIS)

CALM_SECONDS = 1.0
"""Heartbeats so far apart are those of a member at rest."""
_MOST_BYTES = 4096


class Pulse:
    """Of one connection that is calm, until something else than a heartbeat comes.

    It is calm once one came a while after the one before it, with nothing between. In a rebalance they
    may follow each other at once: those wait for what is next.
    """

    __slots__ = ("repeated", "steady")

    def __init__(self) -> None:
        self.repeated: Repeated | None = None
        """What the next one most likely says too."""
        self.steady: Callable[[], bool] | None = None
        """A short way to handle that, which gives whether it did; None: there is none."""

    def learn(
        self, frame: memoryview, request: Request, outcome: object, reply: Send | bytes | None
    ) -> bool:
        """What was said and answered just now is what the next one says, as far as is known.

        Gives whether it is kept. What is large is not: it would be there for as long as the connection.
        """
        assert isinstance(reply, bytes), "heartbeats have replies, and no records in them"
        is_kept = len(frame) + len(reply) <= _MOST_BYTES
        self.repeated = Repeated(frame, request, outcome, reply) if is_kept else None
        self.steady = None
        return is_kept


def short_way(
    broker: Broker, context: RequestContext, request: Request, outcome: object
) -> Callable[[], bool] | None:
    """How a heartbeat that had this outcome just now is handled once more, for a `Pulse`."""
    # Its handler was imported when it was first asked.
    api = import_module(f"barnabas.broker.apis.{_APIS[request.api_key]}")
    found: Callable[[], bool] | None = api.steady(broker, context, request.body, outcome)
    return found
