"""ProposalDialect: what seed 001 proposed, the broker's side. All it has becomes messages of Kafka.

Replies name their request, so several of one connection may wait, and overtake each other.
"""

from barnabas.dialects.byte_offsets import (
    ByteOffsetDialect,
    check_stored,
    list_offsets_request,
    region,
)
from barnabas.dialects.dialect import Request
from barnabas.dialects.proposal import messages
from barnabas.dialects.proposal.frames import decode_request, encode_response
from barnabas.dialects.proposal.messages import BAD_FETCH, VERSION, RequestType, TopicData
from barnabas.errors import DecodeError, ErrorCode
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
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.send import Send

_NONE = ErrorCode.NONE
_UNKNOWN = ErrorCode.UNKNOWN_SERVER_ERROR
_KNOWN = frozenset(
    {
        _NONE, _UNKNOWN, ErrorCode.OFFSET_OUT_OF_RANGE, ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_FETCH_SIZE,
        ErrorCode.REQUEST_TIMED_OUT, ErrorCode.MESSAGE_TOO_LARGE,
    }
)  # fmt: skip
"""Kafka 0.7's five, and 0.8.0's numbers for what 0.7 had no need of."""
_MOST_AT_ONCE = 100
_MOST_SETS = 2**15 - 1


class ProposalDialect(ByteOffsetDialect):
    """Reads and answers. A fetch gets up to `partition_bytes` of each partition."""

    __slots__ = ("_partition_bytes",)

    name = "proposal"
    at_once = _MOST_AT_ONCE
    types_with_messages = frozenset({RequestType.PRODUCE})

    def __init__(self, partition_bytes: int, most_bytes: int = MOST_REQUEST_BYTES) -> None:
        """`most_bytes`: the memory that a request may take."""
        super().__init__(most_bytes)
        self._partition_bytes = partition_bytes

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; messages in the request are views of it.

        Raises:
            DecodeError: it is cut short or wrong, or of a type or version that there is not.
        """
        correlation_id, client_id, asked = decode_request(frame, self._most_bytes)
        match asked:
            case messages.ProduceRequest():
                produce = _produce(asked)
                return Request(int(ApiKey.PRODUCE), VERSION, correlation_id, client_id, produce)
            case messages.FetchRequest():
                fetch = self._fetch(asked)
                return Request(int(ApiKey.FETCH), VERSION, correlation_id, client_id, fetch)
            case messages.OffsetsRequest():
                key, body = int(ApiKey.LIST_OFFSETS), _list_offsets(asked)
                return Request(key, VERSION, correlation_id, client_id, body)

    def _fetch(self, asked: messages.FetchRequest) -> FetchRequest | None:
        topics = [one.topic for one in asked.topic_offsets]
        pairs = [(len(one.partitions), len(one.offsets)) for one in asked.topic_offsets]
        if len(set(topics)) < len(topics) or any(first != second for first, second in pairs):
            return None
        return FetchRequest(
            replica_id=asked.replica_id,
            max_wait_ms=asked.max_wait,
            min_bytes=asked.min_bytes,
            topics=[
                FetchTopic(
                    topic=one.topic,
                    partitions=[
                        FetchPartition(
                            partition=partition,
                            fetch_offset=offset,
                            partition_max_bytes=self._partition_bytes,
                        )
                        for partition, offset in zip(one.partitions, one.offsets, strict=True)
                    ],
                )
                for one in asked.topic_offsets
            ],
        )

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply with its size in front; None for a produce that wants none.

        Raises:
            ErrorWithoutResponse: a produce that wants no reply failed.
        """
        del throttle_ms  # No reply has a place for it.
        match response:
            case FetchResponse():
                return _fetched(request, response)
            case ListOffsetsResponse(topics=[topic]):
                (found,) = topic.partitions
                answer = messages.OffsetsResponse(offsets=found.old_style_offsets)
                return encode_response(request.correlation_id, _code(found.error_code), answer)
            case ProduceResponse():
                return _produced(request, response)
            case _:
                raise AssertionError(f"no response of this dialect: {response!r}")


def _produce(asked: messages.ProduceRequest) -> ProduceRequest:
    count = sum(len(topic.partition_data) for topic in asked.data)
    if count > _MOST_SETS:
        what = f"at most {_MOST_SETS} sets, as a response lists no more, not {count}"
        raise DecodeError("data", 0, what)
    return ProduceRequest(
        acks=asked.required_acks,
        timeout_ms=asked.ack_timeout,
        topic_data=[
            TopicProduceData(
                name=topic.topic,
                partition_data=[
                    PartitionProduceData(index=one.partition, records=one.messages)
                    for one in topic.partition_data
                ],
            )
            for topic in asked.data
        ],
    )


def _list_offsets(asked: messages.OffsetsRequest) -> ListOffsetsRequest:
    return list_offsets_request(asked.topic, asked.partition, asked.time, asked.max_number)


def _produced(request: Request, response: ProduceResponse) -> Send | None:
    assert isinstance(request.body, ProduceRequest)
    if not request.body.acks:
        check_stored(response)
        return None
    answers = [one for topic in response.responses for one in topic.partition_responses]
    refused = bool(answers) and answers[0].error_code == ErrorCode.INVALID_REQUIRED_ACKS
    answer = messages.ProduceResponse(
        errors=[_code(one.error_code) for one in answers],
        offsets=[-1 if one.error_code else one.base_offset for one in answers],
    )
    return encode_response(request.correlation_id, _UNKNOWN if refused else _NONE, answer)


def _fetched(request: Request, response: FetchResponse) -> Send:
    """The error of all is the first that a partition has; its set is empty then."""
    if request.body is None:
        answer = messages.FetchResponse(data=[])
        return encode_response(request.correlation_id, BAD_FETCH, answer)
    codes = (one.error_code for topic in response.responses for one in topic.partitions)
    error = next((code for code in codes if code), _NONE)
    data = [
        TopicData(
            topic=topic.topic,
            partition_data=[
                messages.PartitionData(partition=one.partition_index, messages=region(one.records))
                for one in topic.partitions
            ],
        )
        for topic in response.responses
    ]
    answer = messages.FetchResponse(data=data)
    return encode_response(request.correlation_id, _code(error), answer)


def _code(error: int) -> int:
    return int(error if error in _KNOWN else _UNKNOWN)
