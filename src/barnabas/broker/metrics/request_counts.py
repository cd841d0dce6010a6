"""RequestCounts: how many requests came by API, what they brought, and how long they took."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from barnabas.broker.connections.known_requests import KnownProduce, Made
from barnabas.broker.metrics.topic_counts import TopicCounts
from barnabas.kernels.connections.repeats import RepeatCounts, Tally
from barnabas.kernels.connections.request_times import RequestTimes

_MOST_KEYS = 256


class Received(NamedTuple):
    """Requests of one API: how many there were, their bytes, how many were read, and the seconds of those."""

    requests: int
    bytes: int
    read: int
    seconds: float


class RequestCounts:
    """Counts of all connections, by API key. All is put together when somebody looks.

    Those that repeat earlier requests are counted where they are answered: to do more would cost more than to
    answer them. Percentiles are those of a sample: some requests of each connection. It is a `Meter`.
    """

    __slots__ = ("connections", "now", "read", "repeated", "sent_bytes", "times", "topics")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.connections: defaultdict[str, int] = defaultdict(int)
        """That are open, by listener."""
        self.read: list[list[float]] = [[0, 0, 0.0] for _ in range(_MOST_KEYS)]
        """Of the requests that were read: how many, their bytes, seconds of the broker's thread."""
        self.repeated = RepeatCounts()
        self.sent_bytes = [0] * _MOST_KEYS
        self.times: defaultdict[int, RequestTimes] = defaultdict(RequestTimes)
        """From a request to its response, with all waits."""
        self.topics = TopicCounts()

    def received(self, key: int) -> Received:
        """What came of one API."""
        requests, size, seconds = self.read[key]
        again, again_bytes = self.repeated.of(key)
        return Received(int(requests) + again, int(size) + again_bytes, int(requests), seconds)

    def tally(self, topic: str | bytes) -> Tally:
        """What counts the Produce requests for a topic that repeat earlier ones."""
        return self.topics.produced[topic].repeated

    def measured(self, made: Iterable[Made], began: float) -> None:
        """Repeated requests that came at `began` are about to be answered."""
        seconds = self.now() - began
        for _, count, about, _ in made:
            self.times[about.request.api_key].add(seconds, count)

    def failed(self, produce: KnownProduce, count: int) -> None:
        """Repeated Produce requests failed."""
        self.topics.produced[produce.name or produce.topic_id].failed += count
