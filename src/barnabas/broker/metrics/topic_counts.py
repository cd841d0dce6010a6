"""TopicCounts: what Produce and Fetch did, by topic."""

from collections import defaultdict
from dataclasses import dataclass, field

from barnabas.dialects.dialect import Request
from barnabas.errors import ErrorCode
from barnabas.kernels.connections.repeats import Tally
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.protocol.produce import ProduceResponse

Topic = str | bytes
"""A name, or the id where the request had no name."""
NO_TOPIC = ""
_UNKNOWN = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
    }
)
"""Of topics that there may not be. Clients could name any number: they count together, as `NO_TOPIC`."""


@dataclass(slots=True)
class Produced:
    """Produce requests for a topic; `repeated` counts those that are answered from tables."""

    read: int = 0
    failed: int = 0
    repeated: Tally = field(default_factory=Tally)


@dataclass(slots=True)
class FetchedTopic:
    """Fetch requests for a topic, and the bytes of records that consumers got."""

    requests: int = 0
    failed: int = 0
    bytes: int = 0


class TopicCounts:
    """Counters by topic. A request counts once for each of its partitions, as with Kafka."""

    def __init__(self) -> None:
        self.produced: defaultdict[Topic, Produced] = defaultdict(Produced)
        self.fetched: defaultdict[Topic, FetchedTopic] = defaultdict(FetchedTopic)

    def add(self, request: Request, response: object) -> None:
        """Count a request that was read, when its response is written."""
        if type(response) is FetchResponse:
            self._add_fetch(request.body, response)
        elif type(response) is ProduceResponse:
            self._add_produce(response)

    def _add_fetch(self, body: object, response: FetchResponse) -> None:
        for topic in response.responses:
            key = topic.topic or bytes(topic.topic_id)
            for partition in topic.partitions:
                error = partition.error_code
                counts = self.fetched[NO_TOPIC if error in _UNKNOWN else key]
                counts.requests += 1
                if error:
                    counts.failed += 1
                elif partition.records and not _is_of_follower(body):
                    counts.bytes += len(partition.records)

    def _add_produce(self, response: ProduceResponse) -> None:
        for topic in response.responses:
            for partition in topic.partition_responses:
                error = partition.error_code
                key = NO_TOPIC if error in _UNKNOWN else topic.name or bytes(topic.topic_id)
                counts = self.produced[key]
                counts.read += 1
                counts.failed += error != 0


def _is_of_follower(body: object) -> bool:
    """Whether another broker fetches: what it gets is no traffic of consumers."""
    if type(body) is not FetchRequest:
        return False
    state = body.replica_state
    return (body.replica_id if state is None else state.replica_id) >= 0
