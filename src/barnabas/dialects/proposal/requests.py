"""ProposalDialect: what seed 001 proposed, the broker's side. All it has becomes commands.

Replies name their request, so several of one connection may wait, and overtake each other.
"""

from itertools import groupby
from typing import cast

from barnabas.dialects.commands import (
    Append,
    Appended,
    Fetch,
    Fetched,
    FetchOutcome,
    FoundOffset,
    ListOffsets,
    Lookup,
    Produce,
    Read,
)
from barnabas.dialects.dialect import OnlyByClosing, Request, too_large
from barnabas.dialects.proposal.frames import decode_request, encode_response
from barnabas.dialects.proposal.messages import (
    BAD_FETCH,
    VERSION,
    FetchRequest,
    FetchResponse,
    OffsetsRequest,
    OffsetsResponse,
    PartitionData,
    ProduceRequest,
    ProduceResponse,
    RequestType,
    TopicData,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.schema import NO_UUID
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


class ProposalDialect:
    """Reads and answers. A fetch gets up to `partition_bytes` of each partition."""

    __slots__ = ("_most_bytes", "_partition_bytes")

    name = "proposal"
    at_once = _MOST_AT_ONCE

    def __init__(self, partition_bytes: int, most_bytes: int = MOST_REQUEST_BYTES) -> None:
        """`most_bytes`: the memory that a request may take."""
        self._partition_bytes = partition_bytes
        self._most_bytes = most_bytes

    def has_records(self, frame: memoryview) -> bool:
        """As `Dialect.has_records`."""
        return int.from_bytes(frame[:2], "big") == RequestType.PRODUCE

    def check_large(self, head: memoryview, size: int) -> None:
        """As `Dialect.check_large`."""
        if not self.has_records(head):
            kind = int.from_bytes(head[:2], "big")
            raise too_large(f"request of type {kind}", size)

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; messages in the request are views of it.

        Raises:
            DecodeError: it is cut short or wrong, or of a type or version that there is not.
        """
        correlation_id, client_id, asked = decode_request(frame, self._most_bytes)
        match asked:
            case ProduceRequest():
                produce = _produce(asked)
                return Request(int(ApiKey.PRODUCE), VERSION, correlation_id, client_id, produce)
            case FetchRequest():
                fetch = self._fetch(asked)
                return Request(int(ApiKey.FETCH), VERSION, correlation_id, client_id, fetch)
            case OffsetsRequest():
                lookup = Lookup(asked.topic, asked.partition, -1, asked.time, asked.max_number)
                command = ListOffsets(-1, committed_only=False, lookups=[lookup])
                key = ApiKey.LIST_OFFSETS
                return Request(int(key), VERSION, correlation_id, client_id, command)

    def _fetch(self, asked: FetchRequest) -> Fetch | None:
        topics = [one.topic for one in asked.topic_offsets]
        pairs = [(len(one.partitions), len(one.offsets)) for one in asked.topic_offsets]
        if len(set(topics)) < len(topics) or any(first != second for first, second in pairs):
            return None
        return Fetch(
            replica_id=asked.replica_id,
            max_wait_ms=asked.max_wait,
            min_bytes=asked.min_bytes,
            max_bytes=2**31 - 1,
            committed_only=False,
            session_id=0,
            session_epoch=-1,
            by_topic_id=False,
            reads=[
                Read(one.topic, NO_UUID, partition, offset, self._partition_bytes)
                for one in asked.topic_offsets
                for partition, offset in zip(one.partitions, one.offsets, strict=True)
            ],
            forgotten=[],
        )

    def write_response(
        self, request: Request, outcome: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply with its size in front; None for a produce that wants none.

        Raises:
            OnlyByClosing: a produce that wants no reply failed.
        """
        del throttle_ms  # No reply has a place for it.
        match outcome:
            case FetchOutcome():
                return _fetched(request, outcome)
            case [FoundOffset() as found]:
                answer = OffsetsResponse(offsets=list(found.offsets))
                return encode_response(request.correlation_id, _code(found.error), answer)
            case _:
                return _produced(request, cast("list[Appended]", outcome))


def _produce(asked: ProduceRequest) -> Produce:
    appends = [
        Append(topic.topic, NO_UUID, one.partition, cast("memoryview", one.messages))
        for topic in asked.data
        for one in topic.partition_data
    ]
    return Produce(asked.required_acks, asked.ack_timeout, None, zstd=False, appends=appends)


def _produced(request: Request, answers: list[Appended]) -> Send | None:
    produce = cast("Produce", request.body)
    if not produce.acks:
        for answer in answers:
            if answer.error and answer.error != ErrorCode.MESSAGE_TOO_LARGE:
                raise OnlyByClosing(f"produce: {answer.error.name}: {answer.message}")
        return None
    refused = bool(answers) and answers[0].error == ErrorCode.INVALID_REQUIRED_ACKS
    told = ProduceResponse(
        errors=[_code(one.error) for one in answers],
        offsets=[-1 if one.error else one.base_offset for one in answers],
    )
    return encode_response(request.correlation_id, _UNKNOWN if refused else _NONE, told)


def _fetched(request: Request, outcome: FetchOutcome) -> Send:
    """The error of all is the first that a partition has; its set is empty then."""
    if request.body is None:
        return encode_response(request.correlation_id, BAD_FETCH, FetchResponse(data=[]))
    error = next((one.error for one in outcome.fetched if one.error), _NONE)
    data = [
        TopicData(topic=topic, partition_data=[_partition(one) for one in group])
        for topic, group in groupby(outcome.fetched, lambda one: one.topic)
    ]
    return encode_response(request.correlation_id, _code(error), FetchResponse(data=data))


def _partition(one: Fetched) -> PartitionData:
    return PartitionData(partition=one.partition, messages=one.records or b"")


def _code(error: ErrorCode) -> int:
    return int(error if error in _KNOWN else _UNKNOWN)
