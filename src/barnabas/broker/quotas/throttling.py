"""Throttling: clients' use of their quotas, and the resulting throttle times."""

from barnabas.broker.quotas.quotas import (
    CONNECTION,
    FETCH,
    MUTATION,
    PRODUCE,
    REQUEST,
    Entity,
    Limit,
    Quotas,
)
from barnabas.broker.quotas.rates import Bucket, Rate, seconds_over
from barnabas.config.broker import BrokerConfig
from barnabas.ports import Clock

ANONYMOUS = "ANONYMOUS"
"""The user that everybody is on a listener without authentication, as in Kafka."""

_LONGEST_MS = 2**31 - 1
_MANY = 10_000
"""Rates from which on those are dropped that count nothing any more."""


class Throttling:
    """Counts for all connections. Times are in milliseconds, as in responses."""

    __slots__ = (
        "_buckets", "_clock", "_mutation_seconds", "_quotas", "_rates", "_samples", "_seconds",
    )  # fmt: skip

    def __init__(self, quotas: Quotas, config: BrokerConfig, clock: Clock) -> None:
        self._quotas = quotas
        self._clock = clock
        self._samples = config.quota_window_num
        self._seconds = config.quota_window_size_seconds
        self._mutation_seconds = (
            config.controller_quota_window_num * config.controller_quota_window_size_seconds
        )
        self._rates: dict[tuple[str, Entity], Rate] = {}
        self._buckets: dict[Entity, Bucket] = {}

    def produced(self, client_id: str, size: int) -> int:
        """A client has sent `size` bytes to append."""
        return self._count(PRODUCE, client_id, size)

    def fetched(self, client_id: str, size: int) -> int:
        """`size` bytes are to be sent to a client. If it is to wait for them they do not count."""
        return self._count(FETCH, client_id, size, keep=False)

    def worked(self, client_id: str, seconds: float) -> int:
        """The broker has worked for a client; a wait is never longer than a sample."""
        return min(self._count(REQUEST, client_id, 100 * seconds), 1000 * self._seconds)

    def most_to_fetch(self, client_id: str) -> int | None:
        """The bytes that a quota allows in its whole window: no answer may be larger."""
        limit = self._quotas.of_client(FETCH, ANONYMOUS, client_id)
        return None if limit is None else int(limit.bound * (self._samples - 1) * self._seconds)

    def mutated(self, client_id: str, partitions: int) -> int:
        """A client has so many partitions made or deleted."""
        bucket = self._bucket(client_id)
        if bucket is None:
            return 0
        now = self._clock.monotonic()
        bucket.take(partitions, now)
        return _milliseconds(bucket.seconds_owed(now))

    def owes_mutations(self, client_id: str) -> int:
        """How long a client must wait before it may make or delete partitions."""
        bucket = self._bucket(client_id)
        return 0 if bucket is None else _milliseconds(bucket.seconds_owed(self._clock.monotonic()))

    def connected(self, address: str) -> int:
        """An address opens a connection; one that must not does not count."""
        bound = self._quotas.of_address(address)
        if bound is None:
            return 0
        return self._measure(CONNECTION, Limit(bound, Entity(address=address)), 1, keep=False)

    def _count(self, key: str, client_id: str, amount: float, *, keep: bool = True) -> int:
        limit = self._quotas.of_client(key, ANONYMOUS, client_id)
        return 0 if limit is None else self._measure(key, limit, amount, keep=keep)

    def _measure(self, key: str, limit: Limit, amount: float, *, keep: bool) -> int:
        now = self._clock.monotonic()
        rate = self._rate(key, limit, now)
        rate.record(amount, now)
        seconds = seconds_over(rate.measure(now), limit.bound, rate.window(now))
        if seconds and not keep:
            rate.record(-amount, now)
        return _milliseconds(seconds)

    def _rate(self, key: str, limit: Limit, now: float) -> Rate:
        place = key, limit.shared_by
        rate = self._rates.get(place)
        if rate is None:
            if len(self._rates) >= _MANY:
                self._rates = {at: one for at, one in self._rates.items() if not one.is_idle(now)}
            rate = self._rates[place] = Rate(self._samples, self._seconds)
        return rate

    def _bucket(self, client_id: str) -> Bucket | None:
        limit = self._quotas.of_client(MUTATION, ANONYMOUS, client_id)
        if limit is None:
            return None
        bucket = self._buckets.get(limit.shared_by)
        if bucket is None or bucket.rate != limit.bound:
            if len(self._buckets) >= _MANY:
                self._buckets.clear()
            bucket = Bucket(limit.bound, self._mutation_seconds, self._clock.monotonic())
            self._buckets[limit.shared_by] = bucket
        return bucket


def _milliseconds(seconds: float) -> int:
    """As a response can say it: a bound of a byte per second makes a client wait for months."""
    return round(min(1000 * seconds, _LONGEST_MS))
