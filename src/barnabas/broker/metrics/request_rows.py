"""Rows of requests, by API and by topic, and of connections."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.families import QUANTILES
from barnabas.broker.metrics.request_counts import RequestCounts
from barnabas.broker.metrics.rows import MOST_ROWS, Rows
from barnabas.broker.metrics.topic_counts import NO_TOPIC, Topic, TopicCounts
from barnabas.protocol.api_keys import ApiKey

_API_NAMES = {int(api): api.name.title().replace("_", "") for api in ApiKey}
_NETWORK = "kafka_network_requestmetrics"
_TOPICS = "kafka_server_brokertopicmetrics"
_COUNTERS = (
    "totalproducerequests", "failedproducerequests",
    "totalfetchrequests", "failedfetchrequests", "bytesout",
)  # fmt: skip
_PARTS = [float(quantile) for quantile in QUANTILES]


def read_requests(rows: Rows, counts: RequestCounts) -> None:
    """Of all APIs that were requested."""
    for key, name in _API_NAMES.items():
        received = counts.received(key)
        if received.requests:
            labels = (name,)
            rows[f"{_NETWORK}_requests"].append((labels, received.requests))
            rows[f"{_NETWORK}_requestbytes"].append((labels, received.bytes))
            rows[f"{_NETWORK}_responsebytes"].append((labels, counts.sent_bytes[key]))
            rows[f"{_NETWORK}_localtimems_count"].append((labels, received.read))
            rows[f"{_NETWORK}_localtimems_sum"].append((labels, 1000 * received.seconds))
            rows[f"{_NETWORK}_totaltimems_count"].append((labels, received.requests))
            for quantile, value in _percentiles(counts, key):
                rows[f"{_NETWORK}_totaltimems"].append(((name, quantile), 1000 * value))
    rows["kafka_server_socket_server_metrics_connection_count"] = [
        ((listener,), count) for listener, count in counts.connections.items()
    ]


def _percentiles(counts: RequestCounts, key: int) -> Iterable[tuple[str, float]]:
    times = counts.times.get(key)
    return zip(QUANTILES, times.percentiles(_PARTS) if times else (), strict=False)


class TopicRequests:
    """Reads the counters of topics. Those of all topics together keep what deleted ones had."""

    def __init__(self) -> None:
        self._gone: defaultdict[str, float] = defaultdict(float)

    def read(self, rows: Rows, broker: Broker, counts: TopicCounts) -> None:
        """Of each topic that there is, and of all together."""
        found: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for key, produced in list(counts.produced.items()):
            values = {
                "totalproducerequests": produced.read + produced.repeated.count(),
                "failedproducerequests": produced.failed,
            }
            if not self._sort(broker, key, values, found):
                del counts.produced[key]
        for key, fetched in list(counts.fetched.items()):
            values = {
                "totalfetchrequests": fetched.requests,
                "failedfetchrequests": fetched.failed,
                "bytesout": fetched.bytes,
            }
            if not self._sort(broker, key, values, found):
                del counts.fetched[key]
        for name in _COUNTERS:
            by_topic = found[name]
            whole = sum(by_topic.values()) + self._gone[name]
            by_topic.pop(NO_TOPIC, None)
            some = islice(by_topic.items(), MOST_ROWS)
            rows[f"{_TOPICS}_{name}"] = [((NO_TOPIC,), whole), *(((t,), n) for t, n in some)]

    def _sort(
        self,
        broker: Broker,
        key: Topic,
        values: dict[str, int],
        found: Mapping[str, dict[str, float]],
    ) -> bool:
        """Add values to those of their topic; whether there is one. Those of a deleted one count for all."""
        topic = NO_TOPIC if key == NO_TOPIC else _name(broker, key)
        for name, value in values.items():
            if topic is None:
                self._gone[name] += value
            else:
                found[name][topic] += value
        return topic is not None


def _name(broker: Broker, key: Topic) -> str | None:
    """The name of a topic that there is."""
    topic = broker.topics.by_id(key) if isinstance(key, bytes) else broker.topics.get(key)
    return None if topic is None else topic.name
