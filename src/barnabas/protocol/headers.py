"""Request and response headers, and whole frames: size, header, message. Knows no behaviour."""

from collections.abc import Callable
from functools import cache, partial
from struct import Struct, error
from typing import NamedTuple

from barnabas.errors import DecodeError
from barnabas.kernels.wire.struct_writing import Writer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.types import Buffer
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of
from barnabas.wire.send import Send
from barnabas.wire.tagged import MalformedField, bad_length, read_varint

_REQUEST = Struct(">hhih")
_SIZED_REQUEST = Struct(">ihhih")
_BARE_REQUEST = Struct(">hhi")
_SIZED_BARE_REQUEST = Struct(">ihhi")
_CORRELATION = Struct(">i")
_SIZED_RESPONSE = Struct(">ii")
_SIZED_FLEXIBLE_RESPONSE = Struct(">iix")

_KEYS = tuple(ApiKey)

_SHUTDOWN = int(ApiKey.CONTROLLED_SHUTDOWN)
"""In its version 0 the header of a request ends before the client id."""

_MOST_TAGS = 1000
"""Tagged fields that a header may have; no release has defined one."""


@cache
def _flexible(key: ApiKey) -> VersionRange:
    """The versions of an API that have tagged fields, in the header of a request and in its message."""
    return declaration_of(DECLARED[key].request).flexible


def _has_response_tags(key: ApiKey, version: int) -> bool:
    """Whether the header of a response has tagged fields: never for ApiVersions (KIP-511)."""
    return version in _flexible(key) and key is not ApiKey.API_VERSIONS


class RequestHeader(NamedTuple):
    """What every request begins with. `api_version` may be one that is not declared."""

    api_key: ApiKey
    api_version: int
    correlation_id: int
    client_id: str | None = None


def read_request_header(frame: Buffer) -> tuple[RequestHeader, int]:
    """The header of a frame (without its size), and the position of the message.

    The client id is read leniently: what is not UTF-8 in it is replaced, as Java does.

    Raises:
        DecodeError: it is cut short, or no release has such an API.
    """
    try:
        key, version, correlation_id, length = _REQUEST.unpack_from(frame)
    except error:
        raise DecodeError("header", 0, f"{_REQUEST.size} bytes, not {len(frame)}") from None
    if not 0 <= key < len(_KEYS):
        raise DecodeError("header.api_key", 0, f"the key of an API, not {key}")
    if key == _SHUTDOWN and version == 0:
        header = RequestHeader(_KEYS[key], version, correlation_id, None)
        return header, _BARE_REQUEST.size
    position = _REQUEST.size
    client_id = None
    if length >= 0:
        end = position + length
        if end > len(frame):
            left = len(frame) - position
            raise DecodeError("header.client_id", position, f"{length} bytes; {left} are left")
        client_id = str(frame[position:end], "utf-8", "replace")
        position = end
    api = _KEYS[key]
    if version in _flexible(api):
        position = _skip_tags(frame, position)
    return RequestHeader(api, version, correlation_id, client_id), position


def read_response_header(api_key: ApiKey, version: int, frame: Buffer) -> tuple[int, int]:
    """The correlation id of a frame (without its size), and the position of the message.

    Raises:
        DecodeError: it is cut short.
    """
    if len(frame) < _CORRELATION.size:
        raise DecodeError("header.correlation_id", 0, f"4 bytes, not {len(frame)}")
    (correlation_id,) = _CORRELATION.unpack_from(frame)
    if _has_response_tags(api_key, version):
        return correlation_id, _skip_tags(frame, _CORRELATION.size)
    return correlation_id, _CORRELATION.size


def encode_request(header: RequestHeader, message: object) -> Send:
    """A whole frame with its size. Records of `message` are not copied.

    Raises:
        LocalProtocolError: a value does not fit its field, or there is no such version.
    """
    key, version, correlation_id, client_id = header
    send = Send()
    Codec.of(type(message), version).write(message, send)
    if key == _SHUTDOWN and version == 0:
        size = _BARE_REQUEST.size + len(send)
        send.put_before(_SIZED_BARE_REQUEST.pack(size, key, version, correlation_id))
        return send
    client = b"" if client_id is None else client_id.encode()
    client_and_tags = client + b"\x00" if version in _flexible(key) else client
    size = _REQUEST.size + len(client_and_tags) + len(send)
    length = -1 if client_id is None else len(client)
    head = _SIZED_REQUEST.pack(size, key, version, correlation_id, length)
    send.put_before(head + client_and_tags)
    return send


def encode_response(api_key: ApiKey, version: int, correlation_id: int, message: object) -> Send:
    """A whole frame with its size. Records of `message` are not copied.

    Raises:
        LocalProtocolError: a value does not fit its field, or there is no such version.
    """
    send = Send()
    Codec.of(type(message), version).write(message, send)
    return framed_response(api_key, version, correlation_id, send)


def framed_response(api_key: ApiKey, version: int, correlation_id: int, send: Send) -> Send:
    """A message that is written, with its size and header in front."""
    if _has_response_tags(api_key, version):
        head = _SIZED_FLEXIBLE_RESPONSE.pack(5 + len(send), correlation_id)
    else:
        head = _SIZED_RESPONSE.pack(4 + len(send), correlation_id)
    send.put_before(head)
    return send


@cache
def response_encoder(api_key: ApiKey, version: int) -> Callable[[int, object], Send | bytes]:
    """What `encode_response` is for the responses of one API, made once; bytes if it has no records.

    Raises:
        LocalProtocolError: there is no such version.
    """
    codec: Codec[object] = Codec.of(DECLARED[api_key].response, version)
    writer, is_tagged = codec.writer, _has_response_tags(api_key, version)
    if codec.has_records:
        otherwise = partial(encode_response, api_key, version)
        return otherwise if writer is None else partial(_in_parts, writer, is_tagged, otherwise)
    if writer is None:
        return lambda correlation_id, message: encode_response(
            api_key, version, correlation_id, message
        ).joined()
    return writer.tagged_reply if is_tagged else writer.reply


def _in_parts(
    writer: Writer,
    is_tagged: bool,  # noqa: FBT001 - of a `partial`
    otherwise: Callable[[int, object], Send],
    correlation_id: int,
    message: object,
) -> Send | bytes:
    """A response that may have records."""
    written = writer.parts(message, 9 if is_tagged else 8, correlation_id)
    if written is None:
        return otherwise(correlation_id, message)
    if isinstance(written, bytes):
        return written
    send = Send()
    send.add_all(*written)
    return send


def decode_response(api_key: ApiKey, version: int, frame: Buffer) -> tuple[int, object]:
    """The correlation id and message (`DECLARED[api_key].response`) of a frame without its size.

    Raises:
        DecodeError: it is not that message in that version.
    """
    correlation_id, position = read_response_header(api_key, version, frame)
    codec: Codec[object] = Codec.of(DECLARED[api_key].response, version)
    return correlation_id, codec.decode(frame, position)[0]


def _skip_tags(frame: Buffer, position: int) -> int:
    try:
        count, position = read_varint(frame, position)
        if count > _MOST_TAGS:
            raise DecodeError(
                "header.tagged fields", position, f"at most {_MOST_TAGS} of them, not {count}"
            )
        for _ in range(count):
            _, position = read_varint(frame, position)
            size, position = read_varint(frame, position)
            if size > len(frame) - position:
                raise bad_length(size, len(frame) - position)
            position += size
    except IndexError:
        expected = f"whole tagged fields; the frame ends after {len(frame)} bytes"
        raise DecodeError("header.tagged fields", position, expected) from None
    except MalformedField as failure:
        raise DecodeError("header.tagged fields", position, str(failure)) from None
    return position
