"""Requests that a connection repeats, as they are known: what their responses need if the disk fails."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from barnabas.broker.groups.repeated_commit import QueuedCommit
from barnabas.dialects.dialect import Dialect, Request
from barnabas.errors import ErrorCode
from barnabas.kernels.connections.repeats import RepeatCounts, Tally
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)


class KnownProduce(NamedTuple):
    """A known Produce request without its records, and for which topic it is."""

    request: Request
    name: str
    topic_id: bytes

    def failed(self, answer: PartitionProduceResponse) -> ProduceResponse:
        """The response where the disk has failed."""
        topic = TopicProduceResponse(
            name=self.name, topic_id=self.topic_id, partition_responses=[answer]
        )
        return ProduceResponse(responses=[topic])


class KnownCommit(NamedTuple):
    """A known OffsetCommit request."""

    request: Request

    def failed(self, answer: QueuedCommit) -> OffsetCommitResponse:
        """The response where the disk has failed."""
        assert isinstance(self.request.body, OffsetCommitRequest)
        return commit_response(self.request.body, answer.error_code)


Made = tuple[int, int, KnownProduce | KnownCommit, Any]
"""The first of some responses, how many they are, and what is known of them once all is written."""


class Meter(Protocol):
    """Counts known requests. Kernels count them, and few are timed: to time one costs more than it."""

    repeated: RepeatCounts

    def now(self) -> float:
        """Seconds of a clock that is never at 0.0."""
        ...

    def tally(self, topic: str | bytes) -> Tally:
        """What counts the Produce requests for a topic, by its name or id."""
        ...

    def measured(self, made: Iterable[Made], began: float) -> None:
        """Requests that came at `began` are about to be answered."""
        ...

    def failed(self, produce: KnownProduce, count: int) -> None:
        """Produce requests failed."""
        ...


def commit_response(body: OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse:
    """The response with one code for all partitions."""
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=one.partition_index, error_code=code
                    )
                    for one in topic.partitions
                ],
            )
            for topic in body.topics
            if topic.partitions
        ]
    )


def written(
    dialect: Dialect, request: Request, response: ProduceResponse | OffsetCommitResponse
) -> bytes:
    """The bytes of a response, with its size in front."""
    found = dialect.write_response(request, response)
    assert isinstance(found, bytes), "it has no records, and its client waits for it"
    return found
