"""Pulse: what is known of a client that does nothing on its connection but to say that it is alive."""

from barnabas.dialects.kafka.repeated import Repeated
from barnabas.protocol.api_keys import ApiKey

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

    __slots__ = ("_last", "is_calm", "repeated")

    def __init__(self, now: float) -> None:
        """With the first heartbeat, at that time of the monotonic clock."""
        self._last = now
        self.is_calm = False
        self.repeated: Repeated | None = None
        """What the next one most likely says too, once it is calm."""

    def beat(self, now: float) -> None:
        """One more came."""
        self.is_calm = self.is_calm or now - self._last >= _CALM_SECONDS
        self._last = now
