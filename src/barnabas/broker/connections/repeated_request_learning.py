"""RepeatedRequestLearning: makes requests known that a connection may repeat.

A heartbeat is known as soon as it was answered without news. A Produce for one partition, and an
OffsetCommit, are known when they come the second time with other records or offsets: most that come once
never come again.
"""

from dataclasses import replace

from barnabas.broker.connections.known_requests import (
    KnownCommit,
    KnownProduce,
    Meter,
    commit_response,
    written,
)
from barnabas.broker.groups.repeated_commit import RepeatedCommit
from barnabas.broker.purgatory.pending import Repeatable, RepeatableReply
from barnabas.broker.replicas.repeated_append import RepeatedAppend
from barnabas.dialects.dialect import Dialect, Request
from barnabas.errors import ErrorCode
from barnabas.kernels.connections.repeats import Repeats
from barnabas.protocol.offset_commit import OffsetCommitRequest
from barnabas.protocol.produce import ProduceRequest, ProduceResponse
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of

_MOST_BYTES = 4096
"""Of request and response together. Larger ones are not kept: it would be for as long as the connection."""
_MOST_HEADS = 8
_FLEXIBLE = declaration_of(ProduceRequest).flexible
_TAIL = bytes(3)
"""After the records in a flexible version: no tagged fields of partition, topic and request."""


class RepeatedRequestLearning:
    """What one connection has learned, and is about to learn."""

    __slots__ = ("_dialect", "_heads", "_meter", "_repeats", "_sender", "is_patient")

    def __init__(self, dialect: Dialect, repeats: Repeats, meter: Meter | None) -> None:
        self._dialect = dialect
        self._repeats = repeats
        self._meter = meter
        self._heads: dict[bytes, None] = {}
        """The starts of Produce requests that came once."""
        self._sender: tuple[object, ...] | None = None
        """The sender of the OffsetCommit before."""
        self.is_patient = True
        """Whether all known requests are of a client that is in no hurry."""

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
        first = written(self._dialect, request, response)
        answer.base_offset = ~offset
        try:
            other = written(self._dialect, request, response)
        finally:
            answer.base_offset = offset
        pairs = enumerate(zip(first, other, strict=True))
        return first, next(at for at, (one, another) in pairs if one != another)

    def _learn_commit(self, frame: memoryview, request: Request, outcome: RepeatedCommit) -> None:
        """Know an OffsetCommit request, if the one before was for the same partitions."""
        self.is_patient = False
        if outcome.sender != self._sender:
            self._sender = outcome.sender
            return
        body = request.body
        assert isinstance(body, OffsetCommitRequest)
        response = written(self._dialect, request, commit_response(body, ErrorCode.NONE))
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


def _without_records(body: ProduceRequest) -> ProduceRequest:
    """What decides about the response, without views of a frame."""
    return ProduceRequest(acks=body.acks, timeout_ms=body.timeout_ms, topic_data=[])


def _size_of_length(size: int, *, compact: bool) -> int:
    """Bytes of the length before so many bytes of records."""
    return (((size + 1).bit_length() + 6) // 7 or 1) if compact else 4


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
