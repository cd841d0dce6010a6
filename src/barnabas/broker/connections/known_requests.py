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
        body, response = request.body, outcome.response
        assert isinstance(body, ProduceRequest)
        topic, told = body.topic_data[0], response.responses[0].partition_responses[0]
        size, compact = (
            len(topic.partition_data[0].records or b""),
            request.api_version in _FLEXIBLE,
        )
        tail = _TAIL if compact else b""
        behind = len(frame) - len(tail)
        head = bytes(frame[: behind - size - _size_of_length(size, compact=compact)])
        if bytes(frame[behind:]) != tail:
            return  # it has fields that this broker does not know
        words = head[:4] + head[8:]  # without the correlation id
        if words not in self._heads:
            if len(self._heads) >= _MOST_HEADS:
                self._heads.clear()
            self._heads[words] = None
            return
        written = self._dialect.write_response(request, response)
        offset_at = self._place_of_offset(request, response, told)
        if type(written) is bytes and len(head) + len(written) <= _MOST_BYTES:
            bare = replace(request, body=_without_records(body))
            about = _Produce(bare, topic.name, bytes(topic.topic_id))
            self._repeats.learn_records(
                head, tail, written, offset_at, outcome.again, about, compact=compact
            )

    def _place_of_offset(
        self, request: Request, response: ProduceResponse, told: PartitionProduceResponse
    ) -> int:
        """Where the response has the base offset: where all bits of eight bytes are others for another."""
        offset = told.base_offset
        written = self._dialect.write_response(request, response)
        told.base_offset = ~offset
        try:
            other = self._dialect.write_response(request, response)
        finally:
            told.base_offset = offset
        assert isinstance(written, bytes)
        assert isinstance(other, bytes)
        pairs = enumerate(zip(written, other, strict=True))
        return next(at for at, (one, another) in pairs if one != another)

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
        written = self._dialect.write_response(request, ProduceResponse(responses=[topic]))
        assert isinstance(written, bytes)
        return written


def _without_records(body: ProduceRequest) -> ProduceRequest:
    """What decides about the response, without views of a frame."""
    return ProduceRequest(acks=body.acks, timeout_ms=body.timeout_ms, topic_data=[])


def _size_of_length(size: int, *, compact: bool) -> int:
    """Bytes of the length before so many bytes of records."""
    return (((size + 1).bit_length() + 6) // 7 or 1) if compact else 4
