"""KnownRequests: the requests that a connection repeats, and what has to be true for that.

A heartbeat is known as soon as it was answered without news. A Produce for one partition is known when
it comes the second time with other records: most that come once never come again.
"""

from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.purgatory import Repeatable
from barnabas.broker.replicas.append_again import AppendAgain
from barnabas.dialects.dialect import Dialect, Request
from barnabas.kernels.repeats import Repeats
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.wire.schema import declaration_of

_MOST_BYTES = 4096
"""Of request and response together. Larger ones are not kept: it would be for as long as the connection."""
_MOST_HEADS = 8
_FLEXIBLE = declaration_of(ProduceRequest).flexible
_TAIL = bytes(3)
"""Behind the records in a flexible version: no tagged fields of partition, topic and request."""


class _Produce(NamedTuple):
    """A known Produce request without its records, and for which topic it is."""

    request: Request
    name: str
    topic_id: bytes


class KnownRequests:
    """Those of one connection."""

    __slots__ = ("_broker", "_dialect", "_heads", "_repeats", "is_patient")

    def __init__(self, broker: Broker, dialect: Dialect) -> None:
        self._broker = broker
        self._dialect = dialect
        self._repeats = Repeats()
        self._heads: dict[bytes, None] = {}
        """How Produce requests began that are not known yet."""
        self.is_patient = True
        """Whether all of them are of a client that is in no hurry."""

    def learn(self, frame: memoryview, request: Request, outcome: Repeatable) -> None:
        """Know a request that has this outcome."""
        self.is_patient &= outcome.is_patient
        response = self._dialect.write_response(request, outcome.reply)
        if type(response) is bytes and len(frame) + len(response) <= _MOST_BYTES:
            self._repeats.learn(bytes(frame), response, outcome.again)

    def learn_append(self, frame: memoryview, request: Request, outcome: AppendAgain) -> None:
        """Know a Produce request, if one like it came before."""
        self.is_patient = False
        body = request.body
        assert isinstance(body, ProduceRequest)
        topic = body.topic_data[0]
        size, compact = (
            len(topic.partition_data[0].records or b""),
            request.api_version in _FLEXIBLE,
        )
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
            about = _Produce(bare, topic.name, bytes(topic.topic_id))
            self._repeats.learn_records(
                head, tail, response, offset_at, outcome.again, about, compact=compact
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

    def _written(self, request: Request, response: ProduceResponse) -> bytes:
        written = self._dialect.write_response(request, response)
        assert isinstance(written, bytes), "it has no records, and its client waits for it"
        return written

    def take(self, received: memoryview, start: int, end: int) -> tuple[int, bytes]:
        """Do the requests from `start` on that are known; returns where they end, and their responses."""
        responses: list[bytes] = []
        appended: list[tuple[int, _Produce, PartitionProduceResponse]] = []
        end = self._repeats.take(received, start, end, responses, appended)
        if appended:
            self._broker.replicas.write()
            for place, about, answer in appended:
                if answer.error_code:
                    responses[place] = self._failed(responses[place], about, answer)
        return end, responses[0] if len(responses) == 1 else b"".join(responses)

    def _failed(self, response: bytes, about: _Produce, answer: PartitionProduceResponse) -> bytes:
        """The response where the disk has failed, in place of the one that is not right."""
        request = replace(about.request, correlation_id=int.from_bytes(response[4:8], signed=True))
        topic = TopicProduceResponse(
            name=about.name, topic_id=about.topic_id, partition_responses=[answer]
        )
        return self._written(request, ProduceResponse(responses=[topic]))


def _without_records(body: ProduceRequest) -> ProduceRequest:
    """What decides about the response, without views of a frame."""
    return ProduceRequest(acks=body.acks, timeout_ms=body.timeout_ms, topic_data=[])


def _size_of_length(size: int, *, compact: bool) -> int:
    """Bytes of the length before so many bytes of records."""
    return (((size + 1).bit_length() + 6) // 7 or 1) if compact else 4
