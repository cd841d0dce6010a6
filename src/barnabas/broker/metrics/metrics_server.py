"""MetricsServer: answers Prometheus on a port and threads of its own.

A slow client holds up a thread here, and not the broker: that takes the metrics in short steps, and at
most once at a time. There are few threads: a new connection ends the oldest.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from barnabas.broker.metrics.families import COUNTER, FAMILIES, SUMMARY, Family
from barnabas.broker.metrics.rows import Rows
from barnabas.errors import ConnectionFailed
from barnabas.extras import check_extra
from barnabas.runtime.sockets.page_server import PageServer

if TYPE_CHECKING:
    from prometheus_client.core import Metric


def check_installed() -> None:
    """Whether there is what metrics need.

    Raises:
        ConfigError: there is not; the message says how to install it.
    """
    check_extra("metrics", "metrics", "prometheus_client")


class MetricsServer:
    """Serves `/metrics` until `close`. `port` is where, also if any was requested."""

    def __init__(self, host: str, port: int, read: Callable[[], Rows]) -> None:
        """`read` gives all metrics, and is called by the threads that answer.

        Raises:
            ConfigError: prometheus_client is not installed, or too old.
            ConnectionFailed: the address cannot be bound.
        """
        check_installed()
        from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app

        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(_Collector(read))
        application, one_at_a_time = make_wsgi_app(registry), threading.Lock()

        def serve(environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            with one_at_a_time:
                page: Iterable[bytes] = application(environment, start_response)
                return page

        try:
            self._server = PageServer(host, port)
        except OSError as error:
            what = f"cannot listen on {host or '*'}:{port} for metrics: {error.strerror or error}"
            raise ConnectionFailed(f"{what}; choose another --metrics-port") from error
        self._server.set_app(serve)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Collector:
    """What prometheus_client asks for each scrape."""

    def __init__(self, read: Callable[[], Rows]) -> None:
        self._read = read

    def collect(self) -> "Iterator[Metric]":
        """Read the metrics, and give them as prometheus_client has them."""
        rows = self._read()
        for family in FAMILIES:
            yield _metric(family, rows)


def _metric(family: Family, rows: Rows) -> Any:  # a Metric, with what its kind adds
    from prometheus_client.core import (
        CounterMetricFamily,
        GaugeMetricFamily,
        SummaryMetricFamily,
    )

    name, kind, labels, text = family
    if kind == SUMMARY:
        summary: Any = SummaryMetricFamily(name, text, labels=labels)
        for suffix in ("_count", "_sum"):
            for values, value in rows.get(f"{name}{suffix}", ()):
                summary.add_sample(f"{name}{suffix}", dict(zip(labels, values, strict=True)), value)
        for of_quantile, value in rows.get(name, ()):
            named = dict(zip((*labels, "quantile"), of_quantile, strict=True))
            summary.add_sample(name, named, value)
        return summary
    metric: Any = (CounterMetricFamily if kind == COUNTER else GaugeMetricFamily)(
        name, text, labels=labels
    )
    for values, value in rows.get(name, ()):
        metric.add_metric(values, value)
    return metric
