"""KafkaDialect: Kafka 0.8 to 4.x, the broker's side. Bulk requests become neutral commands."""

from collections.abc import Callable, Mapping
from functools import partial
from struct import Struct
from typing import Any, NamedTuple, cast

from barnabas.dialects.commands import (
    Append,
    Appended,
    Fetch,
    FetchOutcome,
    FoundOffset,
    ListOffsets,
    Produce,
)
from barnabas.dialects.dialect import OnlyByClosing, Request, too_large
from barnabas.dialects.kafka import fetch_frames
from barnabas.dialects.kafka.fetch import fetch_command, fetch_response
from barnabas.dialects.kafka.list_offsets import list_offsets_command, list_offsets_response
from barnabas.dialects.kafka.metadata_frames import write_metadata
from barnabas.dialects.kafka.old_fetch import old_fetch_response
from barnabas.dialects.kafka.produce import produce_command, produce_response
from barnabas.dialects.kafka.produce_frames import ProduceHead, ProduceReply, read_head
from barnabas.dialects.kafka.rules import FETCH_CODES, FETCH_MAGIC, PRODUCE_RULES
from barnabas.errors import DecodeError, OverLimit
from barnabas.kernels import struct_reading
from barnabas.kernels.repeating import one_partition
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    FLEXIBLE_SINCE,
    RequestHeader,
    encode_response,
    read_request_header,
    response_encoder,
)
from barnabas.protocol.long_replies import LongReply
from barnabas.protocol.metadata import MetadataResponse
from barnabas.types import new_tuple
from barnabas.versions import VersionRange
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.send import Send

_PRODUCE = int(ApiKey.PRODUCE)
_FETCH = int(ApiKey.FETCH)
_METADATA = int(ApiKey.METADATA)
_CORRELATION = Struct(">i")
_KEY_AND_VERSION = Struct(">hh")

_Reader = Callable[[memoryview, int], object]
_Encoder = Callable[[int, object], Send | bytes]
_Direct = Callable[[memoryview, VersionRange], Request | None]

_DIRECT: Mapping[ApiKey, _Direct] = {
    ApiKey.FETCH: fetch_frames.read_all,
}
"""Requests whose whole frames kernels of their own read. All are among `_COMMANDS`."""


_COMMANDS = {ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.LIST_OFFSETS}
"""Requests that are more than their messages here."""
_NO_CLIENT = ApiKey.CONTROLLED_SHUTDOWN, 0
"""Whose header has no client id."""


class _Heard(NamedTuple):
    """The newest Produce request: its bytes up to the partitions, and what they mean."""

    said: bytes
    client_id: str | None
    version: int
    head: ProduceHead


class Ways:
    """What reads the requests of an API in a version and writes its responses, once it was asked for.

    One for all connections that are served these versions: so what many say in turn stays in the
    caches of the processor. `direct` is by key, the others by key << 16 | version, as requests begin.
    `most_bytes`: the memory that a request may take, `socket.request.max.memory.bytes`.
    """

    __slots__ = ("direct", "encoders", "most_bytes", "plain", "readers", "requests", "served")

    def __init__(
        self, served: Mapping[ApiKey, VersionRange], most_bytes: int = MOST_REQUEST_BYTES
    ) -> None:
        self.served = served
        self.most_bytes = most_bytes
        self.direct: dict[int, tuple[_Direct, VersionRange]] = {
            key: (read, served[key]) for key, read in _DIRECT.items() if key in served
        }
        self.readers: dict[int, _Reader] = {}
        self.plain: dict[int, struct_reading.Reader] = {}
        self.requests = struct_reading.Requests(self.plain, FLEXIBLE_SINCE, Request, most_bytes)
        self.encoders: dict[int, _Encoder] = {}


class KafkaDialect:
    """Reads the requests of the versions that are served. One for each connection.

    It keeps what the last Produce request began with: a producer says the same again with each batch,
    so that comparing those bytes replaces reading them.
    """

    __slots__ = (
        "_direct", "_encoders", "_heard", "_most_bytes", "_plain", "_readers", "_replies", "_requests",
        "_served",
    )  # fmt: skip

    name = "kafka"
    at_once = 1

    def __init__(self, ways: Ways) -> None:
        self._served, self._direct = ways.served, ways.direct
        self._most_bytes = ways.most_bytes
        self._readers, self._plain, self._encoders = ways.readers, ways.plain, ways.encoders
        self._requests = ways.requests
        self._heard: _Heard | None = None
        self._replies: dict[int, ProduceReply] = {}

    def has_records(self, frame: memoryview) -> bool:
        """As `Dialect.has_records`: only Produce does."""
        return frame[0] == 0 and frame[1] == _PRODUCE

    def check_large(self, head: memoryview, size: int) -> None:
        """As `Dialect.check_large`: only Produce has records."""
        if not self.has_records(head):
            key, version = _KEY_AND_VERSION.unpack_from(head)
            name = ApiKey(key).name if key in self._served else f"API {key}"
            raise too_large(f"{name} {version}", size)

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; records in the request are views of it.

        An ApiVersions request of a version that nobody knows is still a question: its body is None
        (KIP-511).

        Raises:
            DecodeError: it is cut short or wrong, or an API or version that is not served.
        """
        heard = self._heard
        if heard is not None:
            said, client_id, version, head = heard
            found = one_partition(frame, said, head.flexible)
            if found is not None:
                correlation_id, index, start, end = found
                append = new_tuple(Append, (head.topic, head.topic_id, index, frame[start:end]))
                told = (
                    head.acks,
                    head.timeout_ms,
                    head.transactional_id,
                    head.zstd,
                    [append],
                    False,
                )
                produce = new_tuple(Produce, told)
                return Request(_PRODUCE, version, correlation_id, client_id, produce)
            if bytes(frame[8 : head.end]) == said[8:] and frame[:4] == said[:4]:
                several = head.read(frame)
                if several is not None:
                    (correlation_id,) = _CORRELATION.unpack_from(frame, 4)
                    return Request(_PRODUCE, version, correlation_id, client_id, several)
        try:
            request = self._requests.read(frame)
        except OverLimit as error:
            raise self._explained(frame, error) from None
        if request is not None:
            return request
        direct = self._direct.get(frame[1]) if len(frame) > 1 else None
        if direct is not None:
            read, versions = direct
            request = read(frame, versions)
            if request is not None:
                return request
        return self._read_any(frame)

    def _read_any(self, frame: memoryview) -> Request:
        """The request in a frame that no shorter way reads."""
        header, position = read_request_header(frame)
        key, version, correlation_id, client_id = header
        reader = self._readers.get(key << 16 | version)
        if reader is None:
            reader = self._make_reader(key, version)
        if key == _PRODUCE:
            self._listen(frame, header, position)
        try:
            body = reader(frame, position)
        except DecodeError as error:
            raise self._explained(frame, error) from None
        return Request(int(key), version, correlation_id, client_id, body)

    def _explained(self, frame: memoryview, error: DecodeError) -> DecodeError:
        """The error with the API and version of the request, and the property that refused it."""
        key, version = _KEY_AND_VERSION.unpack_from(frame)
        expected = error.expected
        if isinstance(error, OverLimit):
            expected += f" (socket.request.max.memory.bytes={self._most_bytes})"
        return DecodeError(f"{ApiKey(key).name} {version}: {error.where}", error.offset, expected)

    def _listen(self, frame: memoryview, header: RequestHeader, position: int) -> None:
        """Remember how a Produce request begins, if the next one may begin alike."""
        _, version, _, client_id = header
        head = read_head(frame, position, version, zstd=PRODUCE_RULES[version].zstd)
        if head is not None:
            self._heard = _Heard(bytes(frame[: head.end]), client_id, version, head)

    def write_response(
        self, request: Request, outcome: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The reply with its size in front; None for a produce with acks=0.

        Raises:
            OnlyByClosing: a produce with acks=0 failed.
            LocalProtocolError: the reply is longer than one may be.
        """
        key, version = request.api_key, request.api_version
        is_long = type(outcome) is LongReply
        encode = _write_long if is_long else self._encoders.get(key << 16 | version)
        if encode is not None:
            if throttle_ms:
                _tell(outcome, throttle_ms)
            return encode(request.correlation_id, outcome)
        if key == _PRODUCE:
            assert isinstance(outcome, list)
            return self._write_produced(request, outcome, throttle_ms)
        if key == _FETCH:
            assert isinstance(outcome, FetchOutcome)
            return _write_fetched(request, outcome, throttle_ms)
        correlation_id = request.correlation_id
        message = _message_of(key, request.body, outcome)
        if throttle_ms:
            _tell(message, throttle_ms)
        if key == _METADATA:
            return write_metadata(version, correlation_id, cast("MetadataResponse", message))
        return self._encoder(key, version, plain=message is outcome)(correlation_id, message)

    def _encoder(self, key: int, version: int, *, plain: bool) -> _Encoder:
        """What writes a response; kept where nothing but the outcome is asked for by it."""
        api = ApiKey(key)
        # Only ApiVersions is answered in another version; its version 0 is what every client reads.
        is_served = version in self._served[api]
        encoder = response_encoder(api, version if is_served else 0)
        if plain and is_served:
            self._encoders[key << 16 | version] = encoder
        return encoder

    def _write_produced(
        self, request: Request, answers: list[Appended], throttle_ms: int
    ) -> Send | bytes | None:
        version, correlation_id, body = request.api_version, request.correlation_id, request.body
        assert isinstance(body, Produce)
        appends = body.appends
        if body.acks == 0:
            for append, answer in zip(appends, answers, strict=True):
                if answer.error:
                    where = f"{append.topic or append.topic_id.hex()}-{append.partition}"
                    raise OnlyByClosing(f"append to {where} with acks=0: {answer.error.name}")
            return None
        if appends and not throttle_ms:
            topic, topic_id, _, _ = appends[0]
            reply = self._replies.get(version)
            if reply is None or reply.topic != topic or reply.topic_id != topic_id:
                if ProduceReply.can_say(version, topic):
                    reply = self._replies[version] = ProduceReply(version, topic, topic_id)
                else:
                    reply = None
            if reply is not None:
                codes = PRODUCE_RULES[version].codes
                frame = reply.write(correlation_id, appends, answers, codes)
                if frame is not None:
                    return frame
        message = produce_response(body, answers, version)
        _tell(message, throttle_ms)
        return encode_response(ApiKey.PRODUCE, version, correlation_id, message)

    def _make_reader(self, key: ApiKey, version: int) -> _Reader:
        versions = self._served.get(key)
        if versions is None:
            raise DecodeError("header.api_key", 0, f"an API that is served, not {key.name}")
        if version not in versions:
            if key is ApiKey.API_VERSIONS:
                return _read_nothing
            raise DecodeError(
                "header.api_version", 2, f"{key.name} of version {versions}, not {version}"
            )
        begun = key << 16 | version
        reader = self._readers[begun] = _reader_of(key, version, self._most_bytes)
        codec: Codec[object] = Codec.of(DECLARED[key].request, version)
        if codec.reader is not None and key not in _COMMANDS and (key, version) != _NO_CLIENT:
            self._plain[begun] = codec.reader
        return reader


def _reader_of(key: ApiKey, version: int, most_bytes: int) -> _Reader:
    """What reads the bodies of an API, each of which may take so much memory."""
    codec: Codec[Any] = Codec.of(DECLARED[key].request, version)
    decode = codec.decode
    if key not in _COMMANDS:
        return lambda frame, position: decode(frame, position, most_bytes)[0]
    command = _command_of(key, version)
    return lambda frame, position: command(decode(frame, position, most_bytes)[0])


def _command_of(key: ApiKey, version: int) -> Callable[[Any], object]:
    """What makes a command of the message of one of `_COMMANDS`."""
    match key:
        case ApiKey.PRODUCE:
            return partial(produce_command, version=version)
        case ApiKey.FETCH:
            return partial(fetch_command, version=version)
        case _:
            return partial(list_offsets_command, by_segment=version == 0)


def _read_nothing(frame: memoryview, position: int) -> None:
    del frame, position


def _write_fetched(request: Request, outcome: FetchOutcome, throttle_ms: int) -> Send:
    version, correlation_id, body = request.api_version, request.correlation_id, request.body
    if version in FETCH_MAGIC:
        assert isinstance(body, Fetch)
        old = old_fetch_response(body, outcome, version)
        _tell(old, throttle_ms)
        return encode_response(ApiKey.FETCH, version, correlation_id, old)
    if not throttle_ms:
        reply = fetch_frames.write_all(correlation_id, outcome, version, FETCH_CODES[version])
        if reply is not None:
            return reply
    message = fetch_response(outcome, version)
    _tell(message, throttle_ms)
    return encode_response(ApiKey.FETCH, version, correlation_id, message)


def _write_long(correlation_id: int, outcome: object) -> Send:
    assert type(outcome) is LongReply
    return outcome.framed(correlation_id)


def _tell(message: object, throttle_ms: int) -> None:
    """Say in a reply how long its client is to be silent; some replies have no place for that."""
    if type(message) is LongReply:
        message = message.message
    if hasattr(message, "throttle_time_ms"):
        message.throttle_time_ms = throttle_ms


def _message_of(key: int, body: object, outcome: object) -> object:
    match key:
        case ApiKey.LIST_OFFSETS:
            assert isinstance(body, ListOffsets)
            return list_offsets_response(body, cast("list[FoundOffset]", outcome))
        case _:
            return outcome
