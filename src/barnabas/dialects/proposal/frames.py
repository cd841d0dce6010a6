"""Frames of the proposal, both ways: size, header, message."""

from struct import Struct
from typing import NamedTuple, TypeVar

from barnabas.dialects.dialect import ErrorWithoutResponse
from barnabas.dialects.proposal.messages import (
    VERSION,
    FetchRequest,
    FetchResponse,
    OffsetsRequest,
    OffsetsResponse,
    ProduceRequest,
    ProduceResponse,
    RequestHeader,
    RequestType,
    ResponseHeader,
)
from barnabas.errors import DecodeError
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.send import Send

Asked = ProduceRequest | FetchRequest | OffsetsRequest
Answer = ProduceResponse | FetchResponse | OffsetsResponse

_SIZE = Struct(">i")
_LARGEST = 2**31 - 1
_MOST_NAMED_BYTES = 12 << 20
"""Of memory for what a request names, its messages left aside: some 32,767 partitions, or 42,000 sets."""

_DECLARED: dict[RequestType, type[Asked]] = {
    RequestType.PRODUCE: ProduceRequest,
    RequestType.FETCH: FetchRequest,
    RequestType.OFFSETS: OffsetsRequest,
}
_TYPES = {declared: kind for kind, declared in _DECLARED.items()}
_Answer = TypeVar("_Answer", bound=Answer)


class ReadRequest(NamedTuple):
    """A request with its sender and the id of its response."""

    correlation_id: int
    client_id: str
    asked: Asked


def encode_request(asked: Asked, correlation_id: int, client_id: str = "") -> Send:
    """The frame of a request, with its size; messages are handed over, not copied."""
    header = RequestHeader(
        request_type_id=_TYPES[type(asked)],
        version_id=VERSION,
        correlation_id=correlation_id,
        client_id=client_id,
    )
    return _frame(header, asked)


def decode_request(frame: memoryview, most_bytes: int = MOST_REQUEST_BYTES) -> ReadRequest:
    """The request in a frame without its size; what is left over at its end is passed over.

    Raises:
        DecodeError: it is cut short, of a type or version that there is not, or would take more memory
            than that.
    """
    header, position = Codec.of(RequestHeader, 0).decode(frame)
    if header.version_id != VERSION:
        raise DecodeError("version_id", 2, f"{VERSION}, not {header.version_id}")
    try:
        declared = _DECLARED[RequestType(header.request_type_id)]
    except ValueError:
        kinds = [int(kind) for kind in RequestType]
        what = f"one of {kinds}, not {header.request_type_id}"
        raise DecodeError("request_type_id", 0, what) from None
    codec: Codec[Asked] = Codec.of(declared, 0)
    asked, _ = codec.decode(frame, position, min(most_bytes, _MOST_NAMED_BYTES))
    return ReadRequest(header.correlation_id, header.client_id, asked)


def encode_response(correlation_id: int, error: int, answer: Answer) -> Send:
    """The frame of a response, with its size.

    Raises:
        ErrorWithoutResponse: it is too large for one.
    """
    header = ResponseHeader(correlation_id=correlation_id, version_id=VERSION, error=error)
    return _frame(header, answer)


def decode_response(frame: memoryview, answer: type[_Answer]) -> tuple[ResponseHeader, _Answer]:
    """The header and the answer in a frame without its size; who asked knows what kind it is.

    Raises:
        DecodeError: it is cut short, or of a version that there is not.
    """
    header, position = Codec.of(ResponseHeader, 0).decode(frame)
    if header.version_id != VERSION:
        raise DecodeError("version_id", 4, f"{VERSION}, not {header.version_id}")
    return header, Codec.of(answer, 0).decode(frame, position)[0]


def _frame(header: RequestHeader | ResponseHeader, body: Asked | Answer) -> Send:
    send = Send()
    Codec.of(type(header), 0).write(header, send)
    Codec.of(type(body), 0).write(body, send)
    if len(send) > _LARGEST:
        raise ErrorWithoutResponse(
            f"a frame with {len(send)} bytes is larger than its size can say"
        )
    send.put_before(_SIZE.pack(len(send)))
    return send
