"""Pulse: what is known of a client that does nothing on its connection but to say that it is alive."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from barnabas.broker.broker import Broker
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.repeated import Repeated
from barnabas.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse

HEARTBEATS = frozenset(
    int(key)
    for key in (
        ApiKey.HEARTBEAT,
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_HEARTBEAT,
    )
)

_CALM_SECONDS = 1.0


class Pulse:
    """Of one connection, from a heartbeat on until something else comes.

    It is calm once a heartbeat came a while after the one before it. In a rebalance they may follow
    each other at once: those wait for what is next.
    """

    __slots__ = ("_last", "is_calm", "repeated", "steady")

    def __init__(self, now: float) -> None:
        """With the first heartbeat, at that time of the monotonic clock."""
        self._last = now
        self.is_calm = False
        self.repeated: Repeated | None = None
        """What the next one most likely says too, once it is calm."""
        self.steady: Callable[[], bool] | None = None
        """A short way to handle that, which gives whether it did; None: there is none."""

    def beat(self, now: float) -> None:
        """One more came."""
        self.is_calm = self.is_calm or now - self._last >= _CALM_SECONDS
        self._last = now


def short_way(broker: Broker, request: Request, outcome: object) -> Callable[[], bool] | None:
    """How a heartbeat that had this outcome just now is handled once more, for a `Pulse`."""
    if request.api_key != ApiKey.HEARTBEAT:
        return None
    # Imported late: a broker starts faster without it.
    from barnabas.broker.apis.heartbeat import steady

    return steady(
        broker, cast("HeartbeatRequest", request.body), cast("HeartbeatResponse", outcome)
    )
