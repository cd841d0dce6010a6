"""RepeatedRequests: the requests that a connection repeats, and when their answer is still valid.

A heartbeat is known as soon as it was answered without news. A Produce for one partition, and an
OffsetCommit, are known when they come the second time with other records or offsets: most that come once
never come again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from barnabas.broker.broker import Broker
from barnabas.broker.groups.repeated_commit import QueuedCommit, RepeatedCommit
from barnabas.broker.purgatory.purgatory import Repeatable, RepeatableReply, Unreplicated
from barnabas.broker.replicas.delayed_acks import DelayedRepeats
from barnabas.broker.replicas.repeated_append import QueuedAppends, RepeatedAppend
from barnabas.dialects.dialect import Dialect, Request
from barnabas.errors import ErrorCode
from barnabas.kernels.connections.repeats import RepeatCounts, Repeats, Tally
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of

_MOST_BYTES = 4096
"""Of request and response together. Larger ones are not kept: it would be for as long as the connection."""
_MOST_HEADS = 8
_UNTIMED = 15
"""Events with known requests, where they are counted, between two that are timed."""
_FLEXIBLE = declaration_of(ProduceRequest).flexible
_TAIL = bytes(3)
"""Behind the records in a flexible version: no tagged fields of partition, topic and request."""


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
        return _commit_response(self.request.body, answer.error_code)


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


class RepeatedRequests:
    """Those of one connection."""

    __slots__ = (
        "_broker", "_dialect", "_heads", "_meter", "_repeats", "_sender",
        "_untimed", "is_patient",
    )  # fmt: skip

    def __init__(self, broker: Broker, dialect: Dialect, meter: Meter | None = None) -> None:
        """`meter`: where those are counted that are done; None: nowhere."""
        self._broker = broker
        self._dialect = dialect
        counts = None if meter is None else meter.repeated
        self._repeats = Repeats(broker.config.socket_request_max_bytes, counts)
        self._meter = meter
        self._untimed = 0
        """How many events pass until one is timed."""
        self._heads: dict[bytes, None] = {}
        """How Produce requests began that are not known yet."""
        self._sender: tuple[object, ...] | None = None
        """Of the OffsetCommit before."""
        self.is_patient = True
        """Whether all of them are of a client that is in no hurry."""

    def learn(self, frame: memoryview, request: Request, outcome: Repeatable) -> None:
        """Know a request that has this outcome, if it may come again."""
        if isinstance(outcome, RepeatableReply):
            self._learn_words(frame, request, outcome)
        elif isinstance(outcome, RepeatedAppend):
            self._learn_append(frame, request, outcome)
        elif isinstance(outcome, RepeatedCommit):
            self._learn_commit(frame, request, outcome)

    def _learn_words(self, frame: memoryview, request: Request, outcome: RepeatableReply) -> None:
        self.is_patient &= outcome.is_patient
        response = self._dialect.write_response(request, outcome.outcome)
        if type(response) is bytes and len(frame) + len(response) <= _MOST_BYTES:
            self._repeats.learn(bytes(frame), response, outcome.again)

    def _learn_append(self, frame: memoryview, request: Request, outcome: RepeatedAppend) -> None:
        """Know a Produce request, if one like it came before."""
        self.is_patient = False
        body = request.body
        assert isinstance(body, ProduceRequest)
        topic = body.topic_data[0]
        size, compact = outcome.size, request.api_version in _FLEXIBLE
        tail = _TAIL if compact else b""
        behind = len(frame) - len(tail)
        if bytes(frame[behind:]) != tail:
            return  # it has fields that this broker does not know
        head = bytes(frame[: behind - size - _size_of_length(size, compact=compact)])
        words = head[:4] + head[8:]  # without the correlation id
        if words not in self._heads:
            if len(self._heads) >= _MOST_HEADS:
                self._heads.clear()
            self._heads[words] = None
            return
        response, offset_at = self._with_place(request, outcome.response)
        if len(head) + len(response) <= _MOST_BYTES:
            bare = replace(request, body=_without_records(body))
            about = KnownProduce(bare, topic.name, bytes(topic.topic_id))
            meter = self._meter
            tally = None if meter is None else meter.tally(about.name or about.topic_id)
            self._repeats.learn_records(
                head, tail, response, offset_at, outcome.again, about, tally, compact=compact
            )

    def _with_place(self, request: Request, response: ProduceResponse) -> tuple[bytes, int]:
        """The bytes of a response, and where they have the base offset: where another one differs."""
        answer = response.responses[0].partition_responses[0]
        offset = answer.base_offset
        written = self._written(request, response)
        answer.base_offset = ~offset
        try:
            other = self._written(request, response)
        finally:
            answer.base_offset = offset
        pairs = enumerate(zip(written, other, strict=True))
        return written, next(at for at, (one, another) in pairs if one != another)

    def _written(self, request: Request, response: ProduceResponse | OffsetCommitResponse) -> bytes:
        written = self._dialect.write_response(request, response)
        assert isinstance(written, bytes), "it has no records, and its client waits for it"
        return written

    def _learn_commit(self, frame: memoryview, request: Request, outcome: RepeatedCommit) -> None:
        """Know an OffsetCommit request, if the one before was for the same partitions."""
        self.is_patient = False
        if outcome.sender != self._sender:
            self._sender = outcome.sender
            return
        body = request.body
        assert isinstance(body, OffsetCommitRequest)
        response = self._written(request, _commit_response(body, ErrorCode.NONE))
        if len(frame) + len(response) > _MOST_BYTES:
            return
        for topic in body.topics:
            topic.topic_id = bytes(topic.topic_id)  # it was a view of the frame
        words = bytes(frame)
        offsets = _places_of_offsets(request.api_version, body, words)
        if offsets is not None:
            self._repeats.learn_offsets(
                words, offsets, response, outcome.again, KnownCommit(request)
            )

    def take(
        self, received: memoryview, start: int, end: int, *, only_records: bool = False
    ) -> tuple[int, bytes | Callable[[], bytes], Sequence[Unreplicated]]:
        """Do the requests from `start` on that are known.

        Returns where they end, and their responses, or what gives them once all is written. Behind these
        come those that wait for other replicas: the rest of the requests. `only_records`: nothing but
        Produce is done.
        """
        began = 0.0
        if self._meter is not None:
            left = self._untimed
            if left:
                self._untimed = left - 1
            else:
                self._untimed = _UNTIMED
                began = self._meter.now()
        responses: list[bytes] = []
        appended: list[Made] = []
        end = self._repeats.take(
            received, start, end, responses, appended, only_records=only_records
        )
        for _, _, about, _ in appended:
            if type(about) is KnownProduce:
                # Its records are in a buffer that the next frames overwrite.
                self._broker.replicas.write()
                replicating = self._replicating(responses, appended, began)
                return end, self._joined(responses, appended, began), replicating
        if appended:
            return end, partial(self._joined, responses, appended, began), ()
        return end, self._joined(responses, appended, began), ()

    def _replicating(
        self, responses: list[bytes], appended: list[Made], began: float
    ) -> Sequence[Unreplicated]:
        """Take those out that wait for other replicas, which are the last ones, if any."""
        first, count, about, queued = appended[-1]
        if type(queued) is not QueuedAppends:
            return ()
        appended.pop()
        if queued.answer.error_code:
            appended.append((first, count, about, queued.answer))
            return ()
        waiting = responses[first:]
        del responses[first:]
        replies = [Unreplicated() for _ in range(count)]

        def respond(number: int, code: ErrorCode) -> bytes:
            response = waiting[number]
            if began and self._meter is not None:
                self._meter.measured(((number, 1, about, None),), began)
            if code:
                self._count_failed(about, 1)
                response = self._failed(response, about, queued.answer_to(number, code))
            return response

        condition = DelayedRepeats(queued.role, zip(replies, queued.ends(), strict=True), respond)
        if not condition.finish(is_late=False):
            assert isinstance(about.request.body, ProduceRequest)
            seconds = max(about.request.body.timeout_ms, 0) / 1000
            self._broker.purgatory.park(condition, (queued.role,), seconds, replies[-1])
        return replies

    def _failed(self, response: bytes, about: KnownProduce | KnownCommit, answer: Any) -> bytes:
        """The response to a request with this answer, in place of the one that it would have had."""
        number = int.from_bytes(response[4:8], signed=True)
        return self._written(replace(about.request, correlation_id=number), about.failed(answer))

    def _count_failed(self, about: KnownProduce | KnownCommit, count: int) -> None:
        if self._meter is not None and type(about) is KnownProduce:
            self._meter.failed(about, count)

    def _joined(self, responses: list[bytes], appended: list[Made], began: float) -> bytes:
        """The responses, now that all is written."""
        if began and self._meter is not None:
            self._meter.measured(appended, began)
        for first, count, about, answer in appended:
            if answer.error_code:
                self._count_failed(about, count)
                for place in range(first, first + count):
                    responses[place] = self._failed(responses[place], about, answer)
        return responses[0] if len(responses) == 1 else b"".join(responses)


def _without_records(body: ProduceRequest) -> ProduceRequest:
    """What decides about the response, without views of a frame."""
    return ProduceRequest(acks=body.acks, timeout_ms=body.timeout_ms, topic_data=[])


def _size_of_length(size: int, *, compact: bool) -> int:
    """Bytes of the length before so many bytes of records."""
    return (((size + 1).bit_length() + 6) // 7 or 1) if compact else 4


def _commit_response(body: OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse:
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


def _places_of_offsets(version: int, body: OffsetCommitRequest, frame: bytes) -> list[int] | None:
    """Where a frame has its offsets: where all bits of eight bytes are others.

    None: it is written in another way than this broker writes it, or has fields that it does not know.
    """
    encode = Codec.of(OffsetCommitRequest, version).encode
    words = encode(body)
    start = len(frame) - len(words)
    if frame[start:] != words:
        return None
    partitions = [one for topic in body.topics for one in topic.partitions]
    places = []
    for one in partitions:
        one.committed_offset = ~one.committed_offset
        pairs = enumerate(zip(words, encode(body), strict=True), start)
        places.append(next(at for at, (this, other) in pairs if this != other))
        one.committed_offset = ~one.committed_offset
    return places
