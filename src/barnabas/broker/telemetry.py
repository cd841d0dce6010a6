"""Telemetry: which metrics clients are asked for, and that those they send came in time (KIP-714)."""

from collections import OrderedDict
from typing import NamedTuple

from barnabas.broker.client_resources import ClientResources
from barnabas.broker.resource_kinds import ResourceKind
from barnabas.broker.telemetry_match import Client, fits
from barnabas.config.client_metrics import ClientMetricsConfig
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.records.checksums import crc32c

_MOST_CLIENTS = 16_384
"""Clients that are remembered. Source: Kafka's ClientMetricsManager."""

_EVERYTHING = "*"


class Subscription(NamedTuple):
    """What one client is asked for. An answer to `number` is one to exactly this."""

    number: int
    interval_ms: int
    metrics: tuple[str, ...]


class _Known:
    """A client between its requests. Times are seconds of the broker's clock; None: never."""

    __slots__ = ("asked_at", "changes", "ended", "must_ask", "pushed_at", "subscription")

    def __init__(self, subscription: Subscription, changes: int) -> None:
        self.subscription = subscription
        self.changes = changes
        self.asked_at: float | None = None
        self.pushed_at: float | None = None
        self.must_ask = True
        self.ended = False


class Telemetry:
    """The clients that have asked, as many as can be remembered, and what they have sent.

    `pushes` and `pushed_bytes` count what was taken.
    """

    __slots__ = ("_clients", "_clock", "_resources", "pushed_bytes", "pushes")

    def __init__(self, resources: ClientResources, clock: Clock) -> None:
        self._resources = resources
        self._clock = clock
        self._clients: OrderedDict[bytes, _Known] = OrderedDict()
        self.pushes = 0
        self.pushed_bytes = 0

    def subscription_of(self, instance_id: bytes, client: Client) -> Subscription:
        """What a client is to send; it may push as soon as it has asked.

        Raises:
            BrokerError: THROTTLING_QUOTA_EXCEEDED: it has asked before, and nothing has changed.
        """
        known = self._know(instance_id, client)
        if not known.must_ask and not self._is_due(known, known.asked_at, known.pushed_at):
            raise BrokerError(ErrorCode.THROTTLING_QUOTA_EXCEEDED, "it asks before it is due")
        known.must_ask = False
        known.asked_at = self._clock.monotonic()
        return known.subscription

    def check_push(
        self, instance_id: bytes, client: Client, number: int, *, terminating: bool
    ) -> None:
        """Whether a push comes in time, and answers what is asked for now.

        Raises:
            BrokerError: UNKNOWN_SUBSCRIPTION_ID: it must ask again; THROTTLING_QUOTA_EXCEEDED: it
                comes too early; INVALID_REQUEST: it comes after the client's last one.
        """
        known = self._know(instance_id, client)
        if known.ended:
            raise BrokerError(ErrorCode.INVALID_REQUEST, "the client has said its last word")
        if known.subscription.number != number:
            known.must_ask = True
            raise BrokerError(ErrorCode.UNKNOWN_SUBSCRIPTION_ID, "the subscription has changed")
        first = known.pushed_at is None
        if not (first or terminating or self._is_due(known, known.pushed_at)):
            raise BrokerError(ErrorCode.THROTTLING_QUOTA_EXCEEDED, "it comes before it is due")
        known.pushed_at = self._clock.monotonic()
        known.ended = terminating

    def refused(self, instance_id: bytes) -> None:
        """What a client pushed cannot be read: it may ask again at once how it should be."""
        known = self._clients.get(instance_id)
        if known is not None:
            known.must_ask = True

    def took(self, size: int) -> None:
        """A push was taken."""
        self.pushes += 1
        self.pushed_bytes += size

    def _is_due(self, known: _Known, *times: float | None) -> bool:
        """Whether the interval is over since all of these times."""
        since = self._clock.monotonic() - known.subscription.interval_ms / 1000
        return all(time is None or time <= since for time in times)

    def _know(self, instance_id: bytes, client: Client) -> _Known:
        known = self._clients.get(instance_id)
        if known is None or known.changes != self._resources.changes:
            known = _Known(_subscription(self._resources, client), self._resources.changes)
            self._clients[instance_id] = known
            if len(self._clients) > _MOST_CLIENTS:
                self._clients.popitem(last=False)
        self._clients.move_to_end(instance_id)
        return known


def _subscription(resources: ClientResources, client: Client) -> Subscription:
    """All subscriptions that fit, as one: the metrics of all, as often as one of them asks."""
    metrics: dict[str, None] = {}
    intervals = []
    for name in resources.names(ResourceKind.CLIENT_METRICS):
        config = ClientMetricsConfig.load(resources.get(ResourceKind.CLIENT_METRICS, name))
        if fits(client, config.match):
            metrics |= dict.fromkeys(config.metrics)
            intervals.append(config.interval_ms)
    wanted = (_EVERYTHING,) if _EVERYTHING in metrics else tuple(metrics)
    interval_ms = min(intervals, default=_DEFAULT_INTERVAL_MS)
    said = repr((client.client_instance_id, wanted, interval_ms)).encode()
    return Subscription(crc32c(said) - (1 << 31), interval_ms, wanted)


_DEFAULT_INTERVAL_MS = ClientMetricsConfig().interval_ms
