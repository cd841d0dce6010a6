"""KafkaDialect: Kafka 0.8 to 4.x, the broker's side: frames to messages, and messages to frames."""

from collections.abc import Callable, Mapping
from struct import Struct

from barnabas.dialects.dialect import ErrorWithoutResponse, Request, too_large
from barnabas.dialects.kafka.old_responses import OLD_RESPONSES
from barnabas.errors import DecodeError, ErrorCode, OverLimit
from barnabas.kernels.wire import struct_reading
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import read_request_header, response_encoder
from barnabas.protocol.long_replies import LongReply
from barnabas.protocol.produce import ProduceRequest, ProduceResponse
from barnabas.versions import VersionRange
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.send import Send

_PRODUCE = int(ApiKey.PRODUCE)
_KEY_AND_VERSION = Struct(">hh")
_NO_CLIENT = ApiKey.CONTROLLED_SHUTDOWN, 0
"""Whose header has no client id."""

_Reader = Callable[[memoryview, int], object]
_Encoder = Callable[[int, object], Send | bytes]


class MessageCodecs:
    """What reads the requests of an API in a version and writes its responses, once it was requested.

    One for all connections that are served these versions. All is by key << 16 | version, as requests
    begin. `most_bytes`: the memory that a request may take, `socket.request.max.memory.bytes`.
    """

    __slots__ = ("encoders", "kernels", "most_bytes", "readers", "requests", "served")

    def __init__(
        self, served: Mapping[ApiKey, VersionRange], most_bytes: int = MOST_REQUEST_BYTES
    ) -> None:
        self.served = served
        self.most_bytes = most_bytes
        self.readers: dict[int, _Reader] = {}
        self.kernels: dict[int, struct_reading.Reader] = {}
        self.requests = struct_reading.Requests(self.kernels, Request, most_bytes)
        self.encoders: dict[int, _Encoder] = {}


class KafkaDialect:
    """Reads the requests of the versions that are served. One for each connection."""

    __slots__ = ("_encoders", "_read", "_ways")

    name = "kafka"
    at_once = 1

    def __init__(self, ways: MessageCodecs) -> None:
        self._ways = ways
        self._read, self._encoders = ways.requests.read, ways.encoders

    def has_records(self, frame: memoryview) -> bool:
        """As `Dialect.has_records`: only Produce does."""
        return frame[0] == 0 and frame[1] == _PRODUCE

    def check_large(self, head: memoryview, size: int) -> None:
        """As `Dialect.check_large`: only Produce has records."""
        if not self.has_records(head):
            key, version = _KEY_AND_VERSION.unpack_from(head)
            name = ApiKey(key).name if key in self._ways.served else f"API {key}"
            raise too_large(f"{name} {version}", size)

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; records in the request are views of it.

        An ApiVersions request of a version that nobody knows is still a question: its body is None
        (KIP-511).

        Raises:
            DecodeError: it is cut short or wrong, or an API or version that is not served.
        """
        try:
            request = self._read(frame)
        except OverLimit as error:
            raise self._explained(frame, error) from None
        return self._read_any(frame) if request is None else request

    def _read_any(self, frame: memoryview) -> Request:
        """The request in a frame that the kernel does not read."""
        header, position = read_request_header(frame)
        key, version, correlation_id, client_id = header
        reader = self._ways.readers.get(key << 16 | version)
        if reader is None:
            reader = self._make_reader(key, version)
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
            expected += f" (socket.request.max.memory.bytes={self._ways.most_bytes})"
        return DecodeError(f"{ApiKey(key).name} {version}: {error.where}", error.offset, expected)

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """The response with its size in front; None for a produce with acks=0.

        Raises:
            ErrorWithoutResponse: a produce with acks=0 failed.
            LocalProtocolError: the response is longer than one may be.
        """
        key, version = request.api_key, request.api_version
        if throttle_ms:
            _tell(response, throttle_ms)
        if isinstance(response, LongReply):
            return response.framed(request.correlation_id)
        if key == _PRODUCE and not _wants_response(request.body, response):
            return None
        begun = key << 16 | version
        old = OLD_RESPONSES.get(begun)
        if old is not None:
            response = old(request.body, response)
        encode = self._encoders.get(begun)
        if encode is None:
            encode = self._make_encoder(key, version)
        return encode(request.correlation_id, response)

    def _make_encoder(self, key: int, version: int) -> _Encoder:
        """What writes a response."""
        api = ApiKey(key)
        if version not in self._ways.served[api]:
            # Only ApiVersions is answered in another version; its version 0 is what every client reads.
            return response_encoder(api, 0)
        encoder = self._encoders[key << 16 | version] = response_encoder(api, version)
        return encoder

    def _make_reader(self, key: ApiKey, version: int) -> _Reader:
        versions = self._ways.served.get(key)
        if versions is None:
            raise DecodeError("header.api_key", 0, f"an API that is served, not {key.name}")
        if version not in versions:
            if key is ApiKey.API_VERSIONS:
                return _read_nothing
            raise DecodeError(
                "header.api_version", 2, f"{key.name} of version {versions}, not {version}"
            )
        codec: Codec[object] = Codec.of(DECLARED[key].request, version)
        decode, most_bytes = codec.decode, self._ways.most_bytes

        def read(frame: memoryview, position: int) -> object:
            return decode(frame, position, most_bytes)[0]

        self._ways.readers[key << 16 | version] = read
        if codec.reader is not None and (key, version) != _NO_CLIENT:
            self._ways.kernels[key << 16 | version] = codec.reader
        return read


def _read_nothing(frame: memoryview, position: int) -> None:
    del frame, position


def _tell(response: object, throttle_ms: int) -> None:
    """Say for how long the client is to be silent; some responses have no place for that."""
    message = response.message if isinstance(response, LongReply) else response
    if hasattr(message, "throttle_time_ms"):
        message.throttle_time_ms = throttle_ms


def _wants_response(request: object, response: object) -> bool:
    """Whether a produce is answered; one that is not, and failed, ends its connection."""
    assert isinstance(request, ProduceRequest)
    if request.acks:
        return True
    assert isinstance(response, ProduceResponse)
    for topic in response.responses:
        for one in topic.partition_responses:
            if one.error_code:
                where = f"{topic.name or topic.topic_id.hex()}-{one.index}"
                name = ErrorCode(one.error_code).name
                raise ErrorWithoutResponse(f"append to {where} with acks=0: {name}")
    return False
