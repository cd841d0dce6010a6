"""Telemetry: subscriptions to clients' metrics, and limits on how often they push (KIP-714)."""

from collections import OrderedDict
from collections.abc import Generator
from math import inf
from typing import NamedTuple

from barnabas.broker.properties.client_resources import ClientResources
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.properties.telemetry_match import Client, fits
from barnabas.config.client_metrics import ClientMetricsConfig
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.records.checksums import crc32c

_MOST_CLIENTS = 16_384
"""Clients that are remembered. Source: Kafka's ClientMetricsManager."""

_EVERYTHING = "*"

_ASK_AGAIN = (ErrorCode.UNKNOWN_SUBSCRIPTION_ID, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
"""After these a client may ask before it is due how it should be."""


class TelemetrySubscription(NamedTuple):
    """What is requested of one client. A push with `number` responds to exactly this."""

    number: int
    interval_ms: int
    metrics: tuple[str, ...]


class _Known:
    """A client between its requests. Times are seconds of the broker's clock."""

    __slots__ = ("asked_at", "changes", "ended", "last_error", "pushed_at", "subscription")

    def __init__(self, subscription: TelemetrySubscription, changes: int) -> None:
        self.subscription = subscription
        self.changes = changes
        self.asked_at = -inf
        self.pushed_at = -inf
        self.last_error = ErrorCode.NONE
        self.ended = False


class Telemetry:
    """The clients that have asked, as many as can be remembered, and what they have sent.

    `pushes` and `pushed_bytes` count what was taken.
    """

    __slots__ = ("_clients", "_clock", "_met", "_resources", "pushed_bytes", "pushes")

    def __init__(self, resources: ClientResources, clock: Clock) -> None:
        self._resources = resources
        self._clock = clock
        self._clients: OrderedDict[bytes, _Known] = OrderedDict()
        self._met: dict[int, bytes] = {}
        self.pushes = 0
        self.pushed_bytes = 0

    def subscription_of(
        self, instance_id: bytes, client: Client, connection: int
    ) -> Generator[None, None, TelemetrySubscription]:
        """What a client is to send; it may push as soon as it has asked when it was due.

        In steps, as there may be thousands of subscriptions with a pattern each.

        Raises:
            BrokerError: THROTTLING_QUOTA_EXCEEDED: it has asked before, and nothing has changed.
        """
        known = yield from self._know(instance_id, client, connection)
        now = self._clock.monotonic()
        if now - max(known.asked_at, known.pushed_at) >= known.subscription.interval_ms / 1000:
            known.asked_at = now
        elif known.last_error not in _ASK_AGAIN:
            raise BrokerError(
                ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                "the request comes before the push interval is over",
            )
        known.last_error = ErrorCode.NONE
        return known.subscription

    def check_push(
        self,
        instance_id: bytes,
        client: Client,
        connection: int,
        number: int,
        *,
        terminating: bool,
    ) -> Generator[None, None, None]:
        """Whether a push comes in time, and responds to the current subscription; in steps.

        One that answers something else counts as one all the same: the next has to be due.

        Raises:
            BrokerError: UNKNOWN_SUBSCRIPTION_ID: it must ask again; THROTTLING_QUOTA_EXCEEDED: it
                comes too early; INVALID_REQUEST: it comes after the client's last one.
        """
        known = yield from self._know(instance_id, client, connection)
        had_ended, known.ended = known.ended, terminating
        if had_ended:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, "the client has already sent its last push"
            )
        now = self._clock.monotonic()
        interval = known.subscription.interval_ms / 1000
        if known.asked_at > known.pushed_at or now - known.pushed_at >= interval:
            known.pushed_at = now
        elif not terminating:
            raise BrokerError(
                ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                "the request comes before the push interval is over",
            )
        if known.subscription.number != number:
            what = "the subscription has changed"
            raise BrokerError(ErrorCode.UNKNOWN_SUBSCRIPTION_ID, what)

    def answered(self, instance_id: bytes, code: ErrorCode) -> None:
        """Note the response to a push: an error may be a reason to request a subscription at once."""
        known = self._clients.get(instance_id)
        if known is not None:
            known.last_error = code

    def took(self, size: int) -> None:
        """A push was taken."""
        self.pushes += 1
        self.pushed_bytes += size

    def disconnected(self, connection: int) -> None:
        """Forget the client of that connection: it starts again, even with the same id."""
        self._clients.pop(self._met.pop(connection, b""), None)

    def _know(
        self, instance_id: bytes, client: Client, connection: int
    ) -> Generator[None, None, _Known]:
        known = self._clients.get(instance_id)
        if known is None or known.changes != self._resources.changes:
            changes = self._resources.changes
            known = _Known((yield from _subscription(self._resources, client)), changes)
            self._clients[instance_id] = known
            self._met[connection] = instance_id
            if len(self._clients) > _MOST_CLIENTS:
                self._clients.popitem(last=False)
        self._clients.move_to_end(instance_id)
        return known


def _subscription(
    resources: ClientResources, client: Client
) -> Generator[None, None, TelemetrySubscription]:
    """All subscriptions that fit, as one: the metrics of all, as often as one of them asks."""
    metrics: dict[str, None] = {}
    intervals = []
    for name in tuple(resources.names(ResourceKind.CLIENT_METRICS)):
        config = ClientMetricsConfig.load(resources.get(ResourceKind.CLIENT_METRICS, name))
        if fits(client, config.match):
            metrics |= dict.fromkeys(config.metrics)
            intervals.append(config.interval_ms)
        yield
    wanted = (_EVERYTHING,) if _EVERYTHING in metrics else tuple(metrics)
    interval_ms = min(intervals, default=_DEFAULT_INTERVAL_MS)
    identity = repr((client.client_instance_id, wanted, interval_ms)).encode()
    return TelemetrySubscription(crc32c(identity) - (1 << 31), interval_ms, wanted)


_DEFAULT_INTERVAL_MS = ClientMetricsConfig().interval_ms
