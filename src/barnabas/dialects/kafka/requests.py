"""KafkaDialect: Kafka 0.8 to 4.x, the broker's side. Produce, Fetch and ListOffsets become commands."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from barnabas.dialects.commands import Appended, FetchOutcome, FoundOffset, ListOffsets, Produce
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.fetch import fetch_command, fetch_response
from barnabas.dialects.kafka.fetch_frames import read_all, write_all
from barnabas.dialects.kafka.list_offsets import list_offsets_command, list_offsets_response
from barnabas.dialects.kafka.produce import produce_command, produce_response
from barnabas.dialects.kafka.produce_frames import read_one, write_one
from barnabas.dialects.kafka.rules import FETCH_CODES, PRODUCE_RULES
from barnabas.errors import DecodeError
from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.fetch import FetchRequest
from barnabas.protocol.headers import encode_response, read_request_header
from barnabas.protocol.list_offsets import ListOffsetsRequest
from barnabas.protocol.produce import ProduceRequest
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.send import Send

_MOST_ELEMENTS = 1 << 18
"""What one request may name: topics, partitions, properties and so on, all together.

A bound for the memory that a hostile frame can take: about 60 MB, whatever it holds.
"""

_PRODUCE = int(ApiKey.PRODUCE)
_FETCH = int(ApiKey.FETCH)

_Reader = Callable[[memoryview, int], object]


class KafkaDialect:
    """Reads the requests of the versions that are served. Keeps nothing but compiled readers."""

    name = "kafka"

    def __init__(self, served: Mapping[ApiKey, VersionRange]) -> None:
        self._served = served
        self._readers: dict[tuple[int, int], _Reader] = {}

    def read_request(self, frame: memoryview) -> Request:
        """Read a frame; records in the request are views of it.

        An ApiVersions request of a version that nobody knows is still a question: its body is None
        (KIP-511).

        Raises:
            DecodeError: it is cut short or wrong, or an API or version that is not served.
        """
        header, position = read_request_header(frame)
        key, version, correlation_id, client_id = header
        reader = self._readers.get((key, version))
        if reader is None:
            reader = self._make_reader(key, version)
        return Request(key, version, correlation_id, client_id, reader(frame, position))

    def write_response(self, request: Request, outcome: object) -> Send | None:
        """The reply with its size in front; None for a produce with acks=0."""
        key, version, correlation_id, _, body = request
        if key == _PRODUCE:
            return _write_produced(request, cast("list[Appended]", outcome))
        if key == _FETCH:
            return _write_fetched(request, cast("FetchOutcome", outcome))
        message = _message_of(key, body, outcome)
        api = ApiKey(key)
        if version not in self._served[api]:
            version = 0  # Only ApiVersions gets here; its version 0 is what every client reads.
        return encode_response(api, version, correlation_id, message)

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
        reader = self._readers[key, version] = _reader_of(key, version)
        return reader


def _reader_of(key: ApiKey, version: int) -> _Reader:
    codec: Codec[object] = Codec.of(APIS[key].request, version)
    decode = codec.decode
    match key:
        case ApiKey.PRODUCE:
            return partial(_read_produce, Codec.of(ProduceRequest, version))
        case ApiKey.FETCH:
            return partial(_read_fetch, Codec.of(FetchRequest, version))
        case ApiKey.LIST_OFFSETS:
            return partial(_read_list_offsets, Codec.of(ListOffsetsRequest, version))
        case _:
            return lambda frame, position: decode(frame, position, _MOST_ELEMENTS)[0]


def _read_produce(codec: Codec[ProduceRequest], frame: memoryview, position: int) -> object:
    version = codec.version
    one = read_one(frame, position, version, zstd=PRODUCE_RULES[version].zstd)
    return one or produce_command(codec.decode(frame, position, _MOST_ELEMENTS)[0], version)


def _read_fetch(codec: Codec[FetchRequest], frame: memoryview, position: int) -> object:
    version = codec.version
    whole = read_all(frame, position, version)
    return whole or fetch_command(codec.decode(frame, position, _MOST_ELEMENTS)[0], version)


def _read_list_offsets(
    codec: Codec[ListOffsetsRequest], frame: memoryview, position: int
) -> object:
    return list_offsets_command(codec.decode(frame, position, _MOST_ELEMENTS)[0])


def _read_nothing(frame: memoryview, position: int) -> None:
    del frame, position


def _write_produced(request: Request, answers: list[Appended]) -> Send | None:
    _, version, correlation_id, _, body = request
    assert isinstance(body, Produce)
    if body.acks == 0:
        return None
    if len(answers) == 1:
        answer = answers[0]
        code: int = answer.error
        if code:
            code = PRODUCE_RULES[version].codes.get(code, code)
        reply = write_one(correlation_id, body.appends[0], answer, code, version)
        if reply is not None:
            send = Send()
            send.add(reply)
            return send
    message = produce_response(body, answers, version)
    return encode_response(ApiKey.PRODUCE, version, correlation_id, message)


def _write_fetched(request: Request, outcome: FetchOutcome) -> Send:
    _, version, correlation_id, _, _ = request
    reply = write_all(correlation_id, outcome, version, FETCH_CODES[version])
    if reply is not None:
        return reply
    message = fetch_response(outcome, version)
    return encode_response(ApiKey.FETCH, version, correlation_id, message)


def _message_of(key: int, body: object, outcome: object) -> object:
    match key:
        case ApiKey.LIST_OFFSETS:
            assert isinstance(body, ListOffsets)
            return list_offsets_response(body, cast("list[FoundOffset]", outcome))
        case _:
            return outcome
