"""BrokerMetrics: what counts the requests of one broker, and the server that shows its metrics."""

from collections.abc import Callable
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.metered_connection import MeteredConnection
from barnabas.broker.metrics.metrics_server import MetricsServer, check_installed
from barnabas.broker.metrics.reader import MetricsReader
from barnabas.broker.metrics.request_counts import RequestCounts
from barnabas.broker.metrics.rows import Reading, Rows
from barnabas.runtime.clock import SystemClock


class BrokerMetrics:
    """Those of one broker. `connect` makes what serves a new connection."""

    def __init__(self, host: str, port: int) -> None:
        """Raises ConfigError if prometheus_client is not installed."""
        check_installed()
        self._host, self._port = host, port
        self._counts = counts = RequestCounts(SystemClock.monotonic)
        self.connect = partial(MeteredConnection, counts)
        self._reader = MetricsReader(counts)
        self._server: MetricsServer | None = None

    @property
    def port(self) -> int | None:
        """Where they are served; None before the start."""
        return None if self._server is None else self._server.port

    def open(self, run: Callable[[Callable[[Broker], Reading]], Rows]) -> None:
        """Open the port. `run` has steps done on the broker's thread, from any other one.

        Raises:
            ConnectionFailed: the address cannot be bound.
        """
        self._server = MetricsServer(self._host, self._port, partial(run, self._reader.read))

    def begin(self, broker: Broker) -> None:
        """Count what is appended from now on: the broker has started."""
        self._reader.begin(broker)

    def close(self) -> None:
        """Serve nobody any more; a second call does nothing."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
