"""Kafka07Dialect: Kafka 0.6 and 0.7, the broker's side. All it has becomes commands.

Nothing but a fetch and an offsets request is ever answered, and only a fetch has errors: for all
others a client notices that its connection closes. Source: seed 000; Kafka 0.7.2's request handlers.
"""

from typing import cast

from barnabas.dialects.commands import (
    Append,
    Appended,
    Fetch,
    FetchOutcome,
    FoundOffset,
    ListOffsets,
    Lookup,
    Produce,
    Read,
)
from barnabas.dialects.dialect import OnlyByClosing, Request, too_large
from barnabas.dialects.kafka07.frames import (
    decode_request,
    encode_fetch_reply,
    encode_multi_fetch_reply,
    encode_offsets_reply,
)
from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    MultiFetchRequest,
    MultiProduceRequest,
    OffsetsRequest,
    ProduceRequest,
    RequestType,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.schema import NO_UUID
from barnabas.wire.send import Send

_LAST_CODE = ErrorCode.INVALID_FETCH_SIZE
_ANY_SIZE = 2**31 - 1
_WITH_MESSAGES = frozenset({RequestType.PRODUCE, RequestType.MULTIPRODUCE})


class Kafka07Dialect:
    """Reads and answers. As `api_version`, a request has its type."""

    __slots__ = ("_most_bytes",)

    name = "kafka-0.7"
    at_once = 1

    def __init__(self, most_bytes: int = MOST_REQUEST_BYTES) -> None:
        """`most_bytes`: the memory that a request may take."""
        self._most_bytes = most_bytes

    def has_records(self, frame: memoryview) -> bool:
        """As `Dialect.has_records`."""
        return int.from_bytes(frame[:2], "big") in _WITH_MESSAGES

    def check_large(self, head: memoryview, size: int) -> None:
        """As `Dialect.check_large`."""
        if not self.has_records(head):
            kind = int.from_bytes(head[:2], "big")
            raise too_large(f"request of type {kind}", size)

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; messages in the request are views of it.

        Raises:
            DecodeError: it is cut short or wrong, or of no type that there is.
        """
        said = decode_request(frame, self._most_bytes)
        match said:
            case ProduceRequest():
                return _request(ApiKey.PRODUCE, RequestType.PRODUCE, _produce([said]))
            case MultiProduceRequest():
                body = _produce(said.produces)
                return _request(ApiKey.PRODUCE, RequestType.MULTIPRODUCE, body)
            case FetchRequest():
                return _request(ApiKey.FETCH, RequestType.FETCH, _fetch([said]))
            case MultiFetchRequest():
                return _request(ApiKey.FETCH, RequestType.MULTIFETCH, _fetch(said.fetches))
            case OffsetsRequest():
                lookup = Lookup(said.topic, said.partition, -1, said.time, said.max_number)
                command = ListOffsets(-1, committed_only=False, lookups=[lookup])
                return _request(ApiKey.LIST_OFFSETS, RequestType.OFFSETS, command)

    def write_response(
        self, request: Request, outcome: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply with its size in front; None for a produce, whatever became of it.

        Raises:
            OnlyByClosing: something failed that cannot be told.
        """
        del throttle_ms  # No reply has a place for it.
        match outcome:
            case FetchOutcome():
                return _fetched(request, outcome)
            case [FoundOffset() as found]:
                if found.error:
                    raise OnlyByClosing(f"offsets: {found.error.name}")
                return encode_offsets_reply(list(found.offsets))
            case _:
                _tell_by_closing(cast("list[Appended]", outcome))
                return None


def _request(key: ApiKey, kind: RequestType, body: object) -> Request:
    return Request(int(key), int(kind), 0, None, body)


def _produce(said: list[ProduceRequest]) -> Produce:
    appends = [
        Append(one.topic, NO_UUID, one.partition, cast("memoryview", one.messages)) for one in said
    ]
    return Produce(0, 0, None, zstd=False, appends=appends)


def _fetch(said: list[FetchRequest]) -> Fetch:
    reads = [Read(one.topic, NO_UUID, one.partition, one.offset, one.max_size) for one in said]
    return Fetch(
        replica_id=-1,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=_ANY_SIZE,
        committed_only=False,
        session_id=0,
        session_epoch=-1,
        by_topic_id=False,
        reads=reads,
        forgotten=[],
    )


def _fetched(request: Request, outcome: FetchOutcome) -> Send:
    """One reply, or several in one; a client without quota gets nothing of any."""
    fetch = cast("Fetch", request.body)
    parts = [
        encode_fetch_reply(_narrowed(one.error), one.records or b"") for one in outcome.fetched
    ]
    parts = parts or [encode_fetch_reply(0) for _ in fetch.reads]
    if request.api_version == RequestType.MULTIFETCH:
        return encode_multi_fetch_reply(parts)
    return parts[0]


def _narrowed(code: ErrorCode) -> int:
    """The code as 0.7 has it: the first five have kept their numbers, all others are unknown."""
    return int(code) if code <= _LAST_CODE else int(ErrorCode.UNKNOWN_SERVER_ERROR)


def _tell_by_closing(answers: list[Appended]) -> None:
    """Source: 0.7.2 goes on where a message is larger than it may be, and closes for all else."""
    for answer in answers:
        if answer.error and answer.error != ErrorCode.MESSAGE_TOO_LARGE:
            raise OnlyByClosing(f"produce: {answer.error.name}: {answer.message}")
