"""Kafka07Dialect: Kafka 0.6 and 0.7, the broker's side. All it has becomes messages of Kafka.

Nothing but a fetch and an offsets request is ever answered, and only a fetch has errors: for all
others a client notices that its connection closes. Source: seed 000; Kafka 0.7.2's request handlers.
"""

from barnabas.dialects.byte_offsets import (
    ByteOffsetDialect,
    check_stored,
    list_offsets_request,
    region,
)
from barnabas.dialects.dialect import ErrorWithoutResponse, Request
from barnabas.dialects.kafka07 import messages
from barnabas.dialects.kafka07.frames import (
    decode_request,
    encode_fetch_reply,
    encode_multi_fetch_reply,
    encode_offsets_reply,
)
from barnabas.dialects.kafka07.messages import RequestType
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsResponse,
)
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.wire.send import Send

_LAST_CODE = ErrorCode.INVALID_FETCH_SIZE


class Kafka07Dialect(ByteOffsetDialect):
    """Reads and answers. As `api_version`, a request has its type."""

    __slots__ = ()

    name = "kafka-0.7"
    at_once = 1
    types_with_messages = frozenset({RequestType.PRODUCE, RequestType.MULTIPRODUCE})

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; messages in the request are views of it.

        Raises:
            DecodeError: it is cut short or wrong, or of no type that there is.
        """
        asked = decode_request(frame, self._most_bytes)
        match asked:
            case messages.ProduceRequest():
                return _request(ApiKey.PRODUCE, RequestType.PRODUCE, _produce([asked]))
            case messages.MultiProduceRequest():
                body = _produce(asked.produces)
                return _request(ApiKey.PRODUCE, RequestType.MULTIPRODUCE, body)
            case messages.FetchRequest():
                return _request(ApiKey.FETCH, RequestType.FETCH, _fetch([asked]))
            case messages.MultiFetchRequest():
                return _request(ApiKey.FETCH, RequestType.MULTIFETCH, _fetch(asked.fetches))
            case messages.OffsetsRequest():
                return _request(ApiKey.LIST_OFFSETS, RequestType.OFFSETS, _list_offsets(asked))

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply with its size in front; None for a produce, whatever became of it.

        Raises:
            ErrorWithoutResponse: an error that the protocol cannot report.
        """
        del throttle_ms  # No reply has a place for it.
        match response:
            case FetchResponse():
                return _fetched(request, response)
            case ListOffsetsResponse(topics=[topic]):
                (found,) = topic.partitions
                if found.error_code:
                    raise ErrorWithoutResponse(f"offsets: {ErrorCode(found.error_code).name}")
                return encode_offsets_reply(found.old_style_offsets)
            case ProduceResponse():
                check_stored(response)
                return None
            case _:
                raise AssertionError(f"no response of this dialect: {response!r}")


def _request(key: ApiKey, kind: RequestType, body: object) -> Request:
    return Request(int(key), int(kind), 0, None, body)


def _produce(produces: list[messages.ProduceRequest]) -> ProduceRequest:
    return ProduceRequest(
        acks=0,
        timeout_ms=0,
        topic_data=[
            TopicProduceData(
                name=one.topic,
                partition_data=[PartitionProduceData(index=one.partition, records=one.messages)],
            )
            for one in produces
        ],
    )


def _fetch(fetches: list[messages.FetchRequest]) -> FetchRequest:
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        topics=[
            FetchTopic(
                topic=one.topic,
                partitions=[
                    FetchPartition(
                        partition=one.partition,
                        fetch_offset=one.offset,
                        partition_max_bytes=one.max_size,
                    )
                ],
            )
            for one in fetches
        ],
    )


def _list_offsets(asked: messages.OffsetsRequest) -> ListOffsetsRequest:
    return list_offsets_request(asked.topic, asked.partition, asked.time, asked.max_number)


def _fetched(request: Request, response: FetchResponse) -> Send:
    """One reply, or several in one; a client without quota gets nothing of any."""
    parts = [
        encode_fetch_reply(_narrowed(one.error_code), region(one.records))
        for topic in response.responses
        for one in topic.partitions
    ]
    assert isinstance(request.body, FetchRequest)
    parts = parts or [encode_fetch_reply(0) for _ in request.body.topics]
    if request.api_version == RequestType.MULTIFETCH:
        return encode_multi_fetch_reply(parts)
    return parts[0]


def _narrowed(code: int) -> int:
    """The code as 0.7 has it: the first five have kept their numbers, all others are unknown."""
    return code if code <= _LAST_CODE else int(ErrorCode.UNKNOWN_SERVER_ERROR)
