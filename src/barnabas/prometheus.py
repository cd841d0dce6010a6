"""Metrics of clients for Prometheus, for programs that serve their own with prometheus_client.

    collector = ClientCollector()
    prometheus_client.REGISTRY.register(collector)
    collector.add(producer)

Names are those that the usual rules of the JMX exporter give to metrics of Kafka's Java clients, with
the label `clientId`. Nothing is measured for it: a scrape reads what clients count anyway. It needs
`pip install 'barnabas[metrics]'`.
"""

import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

try:
    from prometheus_client import Metric
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.registry import Collector
except ImportError as error:
    _needed = f"metrics for Prometheus need a package: pip install 'barnabas[metrics]' ({error})"
    raise ImportError(_needed) from None

from barnabas import aio
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.admin import Admin
from barnabas.client.sync.consumer import Consumer
from barnabas.client.sync.producer import Producer

Client = Producer | Consumer | Admin | aio.Producer | aio.Consumer | aio.Admin

_PRODUCER, _CONSUMER, _ADMIN = "producer", "consumer", "admin_client"
_KINDS: Final[Mapping[type, str]] = {
    Producer: _PRODUCER,
    aio.Producer: _PRODUCER,
    Consumer: _CONSUMER,
    aio.Consumer: _CONSUMER,
    Admin: _ADMIN,
    aio.Admin: _ADMIN,
}
_CLIENT: Final = ("clientId",)
_PARTITION: Final = (*_CLIENT, "topic", "partition")


class _Counter(NamedTuple):
    """A counter of one kind of client (None: of each), without `_total`."""

    name: str
    kind: str | None
    text: str
    value: Callable[[Metrics], float]


COUNTERS: Final = (
    _Counter("request", None, "Requests sent.", lambda each: each.requests),
    _Counter("response", None, "Responses received.", lambda each: each.answers),
    _Counter("outgoing_byte", None, "Bytes sent to brokers.", lambda each: each.bytes_sent),
    _Counter(
        "incoming_byte", None, "Bytes received from brokers.", lambda each: each.bytes_received
    ),
    _Counter("record_send", _PRODUCER, "Records that were stored.", lambda each: each.records),
    _Counter(
        "record_error", _PRODUCER, "Records that were not stored.", lambda each: each.failed_records
    ),
    _Counter(
        "fetch_manager_records_consumed", _CONSUMER, "Records returned to the program.",
        lambda each: each.records,
    ),
)  # fmt: skip


class ClientCollector(Collector):
    """What `prometheus_client` reads of producers, consumers and admins: register one of it.

    Clients are kept weakly. Those with the same `client.id` are one series, in which the counts of a
    client that is gone stay as long as there is another one, so that no counter goes back.
    """

    def __init__(self, clients: Iterable[Client] = ()) -> None:
        self._lock = threading.Lock()
        self._clients: dict[weakref.ref[Client], str] = {}
        self._last: dict[weakref.ref[Client], Metrics] = {}
        self._gone: dict[tuple[str, str], list[Metrics]] = {}
        for client in clients:
            self.add(client)

    def add(self, client: Client) -> None:
        """Have a client's metrics in each scrape from now on. Any thread.

        Raises:
            TypeError: it is no Producer, Consumer or Admin of `barnabas` or `barnabas.aio`.
        """
        for plain, kind in _KINDS.items():
            if isinstance(client, plain):
                with self._lock:
                    self._clients[weakref.ref(client)] = kind
                return
        raise TypeError(f"a Producer, Consumer or Admin is added, not {type(client).__name__}")

    def describe(self) -> Iterable[Metric]:
        """The names, without values: registering reads no client."""
        return self._families({})

    def collect(self) -> Iterable[Metric]:
        """The metrics of all clients now. Any thread."""
        with self._lock:
            return self._families(self._read())

    def _read(self) -> dict[tuple[str, str], list[Metrics]]:
        """By kind and client.id: the metrics of clients, and what is left of those that are gone."""
        found: dict[tuple[str, str], list[Metrics]] = defaultdict(list)
        for reference, kind in list(self._clients.items()):
            client = reference()
            if client is not None:
                self._last[reference] = metrics = client.metrics()
                found[kind, metrics.client_id].append(metrics)
                continue
            del self._clients[reference]
            left = self._last.pop(reference, None)
            if left is not None:
                self._gone.setdefault((kind, left.client_id), []).append(left)
        self._gone = {key: [_sum(all_)] for key, all_ in self._gone.items() if key in found}
        for key, totals in self._gone.items():
            found[key] += totals
        return found

    def _families(self, found: Mapping[tuple[str, str], list[Metrics]]) -> list[Metric]:
        families: list[Metric] = []
        for kind in (_PRODUCER, _CONSUMER, _ADMIN):
            of_kind = {client_id: each for (one, client_id), each in found.items() if one == kind}
            families += _of_kind(kind, of_kind)
        return families


def _of_kind(kind: str, clients: Mapping[str, list[Metrics]]) -> Iterator[Metric]:
    for counter in COUNTERS:
        if counter.kind in {None, kind}:
            family = CounterMetricFamily(
                f"kafka_{kind}_{counter.name}", counter.text, labels=_CLIENT
            )
            for client_id, all_ in clients.items():
                family.add_metric((client_id,), sum(map(counter.value, all_)))
            yield family
    connections = GaugeMetricFamily(
        f"kafka_{kind}_connection_count", "Open connections to brokers.", labels=_CLIENT
    )
    latency = GaugeMetricFamily(
        f"kafka_{kind}_request_latency_avg",
        "Milliseconds from a request to its response, on average so far; a fetch waits for records.",
        labels=_CLIENT,
    )
    for client_id, all_ in clients.items():
        connections.add_metric((client_id,), sum(each.connections for each in all_))
        latency.add_metric((client_id,), _sum(all_).latency_average_s * 1000)
    yield from (connections, latency)
    if kind == _CONSUMER:
        yield from _lags(clients)


def _lags(clients: Mapping[str, list[Metrics]]) -> Iterator[Metric]:
    lag = GaugeMetricFamily(
        "kafka_consumer_fetch_manager_records_lag",
        "Records after the position in a partition, as of its last fetch.",
        labels=_PARTITION,
    )
    most = GaugeMetricFamily(
        "kafka_consumer_fetch_manager_records_lag_max",
        "The largest of these lags.",
        labels=_CLIENT,
    )
    for client_id, all_ in clients.items():
        lags = {where: behind for each in all_ for where, behind in each.lag.items()}
        most.add_metric((client_id,), max(lags.values(), default=0))
        for where, behind in lags.items():
            lag.add_metric((client_id, where.topic, str(where.partition)), behind)
    yield from (lag, most)


def _sum(all_: Iterable[Metrics]) -> Metrics:
    """The counts of several clients as those of one; it has no connections, and no lag."""
    several = list(all_)
    answers = sum(each.answers for each in several)
    waited_s = sum(each.latency_average_s * each.answers for each in several)
    return Metrics(
        requests=sum(each.requests for each in several),
        answers=answers,
        bytes_sent=sum(each.bytes_sent for each in several),
        bytes_received=sum(each.bytes_received for each in several),
        records=sum(each.records for each in several),
        latency_average_s=waited_s / answers if answers else 0.0,
        client_id=several[0].client_id,
        failed_records=sum(each.failed_records for each in several),
    )
