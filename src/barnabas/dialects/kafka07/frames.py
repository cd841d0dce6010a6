"""Frames of Kafka 0.7: requests with their type, replies with their error code; both ways.

A multi-fetch reply does not say how many parts it has. Source: seed 000 "Basic Objects", "Interactions".
"""

from collections.abc import Sequence
from struct import Struct, error
from typing import NamedTuple

from barnabas.dialects.dialect import ErrorWithoutResponse
from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    MultiFetchRequest,
    MultiProduceRequest,
    OffsetsReply,
    OffsetsRequest,
    ProduceRequest,
    RequestType,
)
from barnabas.errors import DecodeError
from barnabas.types import Buffer
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.send import FileSlice, Send

Message = ProduceRequest | FetchRequest | MultiFetchRequest | MultiProduceRequest | OffsetsRequest

_HEAD = Struct(">ih")
_CODE = Struct(">h")
_LARGEST = 2**31 - 1 - _CODE.size

_DECLARED: dict[RequestType, type[Message]] = {
    RequestType.PRODUCE: ProduceRequest,
    RequestType.FETCH: FetchRequest,
    RequestType.MULTIFETCH: MultiFetchRequest,
    RequestType.MULTIPRODUCE: MultiProduceRequest,
    RequestType.OFFSETS: OffsetsRequest,
}
_TYPES = {declared: kind for kind, declared in _DECLARED.items()}


class FetchReply(NamedTuple):
    """What came of one fetch: an error code, or bytes of the log that may end within a message."""

    error: int
    messages: memoryview


def encode_request(request: Message) -> Send:
    """The frame of a request, with its size; messages are handed over, not copied."""
    send = Send()
    Codec.of(type(request), 0).write(request, send)
    send.put_before(_HEAD.pack(_CODE.size + len(send), _TYPES[type(request)]))
    return send


def decode_request(frame: memoryview, most_bytes: int = MOST_REQUEST_BYTES) -> Message:
    """The request in a frame without its size; what is left over at its end is passed over.

    Raises:
        DecodeError: it is of no type that there is, cut short, or would take more memory than that.
    """
    (kind,) = _code(frame, "request_type")
    try:
        declared = _DECLARED[RequestType(kind)]
    except ValueError:
        raise DecodeError("request_type", 0, f"a type from 0 to 4, not {kind}") from None
    codec: Codec[Message] = Codec.of(declared, 0)
    return codec.decode(frame, _CODE.size, most_bytes)[0]


def encode_fetch_reply(code: int, messages: Buffer | FileSlice = b"") -> Send:
    """The reply to a fetch, with its size.

    Raises:
        ErrorWithoutResponse: there are too many messages for one.
    """
    send = Send(_head(len(messages), code))
    send.add(messages)
    return send


def encode_multi_fetch_reply(parts: Sequence[Send]) -> Send:
    """The replies to several fetches as one.

    Raises:
        ErrorWithoutResponse: they are too large for one.
    """
    send = Send(_head(sum(map(len, parts)), 0))
    for part in parts:
        send.add_all(part.parts, len(part))
    return send


def encode_offsets_reply(offsets: list[int]) -> bytes:
    """The reply to an offsets request, with its size."""
    body = Codec.of(OffsetsReply, 0).encode(OffsetsReply(offsets=offsets))
    return _HEAD.pack(_CODE.size + len(body), 0) + body


def decode_fetch_reply(frame: memoryview) -> FetchReply:
    """What a frame without its size says.

    Raises:
        DecodeError: it has no error code.
    """
    (code,) = _code(frame, "error_code")
    return FetchReply(code, frame[_CODE.size :])


def decode_multi_fetch_reply(frame: memoryview) -> list[FetchReply]:
    """The parts of a frame without its size, in the order of the request.

    Raises:
        DecodeError: a part does not fit; or the error code of all is not 0.
    """
    (code,) = _code(frame, "error_code")
    if code:
        raise DecodeError("error_code", 0, f"0, as parts have codes of their own, not {code}")
    position = _CODE.size
    parts = []
    while position < len(frame):
        try:
            size, code = _HEAD.unpack_from(frame, position)
        except error:
            raise DecodeError("parts", position, "a size and an error code") from None
        start, end = position + _HEAD.size, position + _HEAD.size - _CODE.size + size
        if not start <= end <= len(frame):
            raise DecodeError("parts", position, f"a size that the frame has, not {size}")
        parts.append(FetchReply(code, frame[start:end]))
        position = end
    return parts


def decode_offsets_reply(frame: memoryview) -> tuple[int, list[int]]:
    """The error code and the offsets, greatest first, of a frame without its size.

    Raises:
        DecodeError: it is cut short.
    """
    (code,) = _code(frame, "error_code")
    if code:
        return code, []
    return code, Codec.of(OffsetsReply, 0).decode(frame, _CODE.size)[0].offsets


def _head(size: int, code: int) -> bytes:
    """What is in front of so many bytes.

    Raises:
        ErrorWithoutResponse: no reply can say that it is so large.
    """
    if size > _LARGEST:
        raise ErrorWithoutResponse(f"a reply with {size} bytes is larger than its size can say")
    return _HEAD.pack(_CODE.size + size, code)


def _code(frame: memoryview, name: str) -> tuple[int]:
    try:
        found: tuple[int] = _CODE.unpack_from(frame)
    except error:
        raise DecodeError(name, 0, f"2 bytes, not {len(frame)}") from None
    return found
