"""ProposalLens: requests and responses of the proposal of seed 001, as repaired."""

from dataclasses import replace
from functools import partial
from typing import Any

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
from barnabas.lens.contents.byte_messages import read_byte_messages
from barnabas.lens.languages.contradictions import name_contradictions
from barnabas.lens.walks.explaining import finished, read_message, walk_of
from barnabas.lens.walks.fields import Contents, FieldReader, encoding_in, layout_in
from barnabas.lens.walks.frame_sizes import read_size
from barnabas.lens.walks.guesses import AS_DECLARED, Interpretation, altered, with_guess
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.walks.walk import UnreadableBytes, Walk
from barnabas.lens.walks.words import sentence_of

_DECLARED: dict[RequestType, tuple[type, type]] = {
    RequestType.PRODUCE: (ProduceRequest, ProduceResponse),
    RequestType.FETCH: (FetchRequest, FetchResponse),
    RequestType.OFFSETS: (OffsetsRequest, OffsetsResponse),
}
_SENT = Contents(partial(read_byte_messages, cut=False), {})
_GIVEN = Contents(partial(read_byte_messages, cut=True), {})
_WAYS = (("all numbers are in little-endian order", altered(order="<")),)
_CORRELATION_AT = 4


class ProposalLens:
    """Explains frames. `bare` frames have no size before them."""

    name = "proposal"
    returns_addresses = False

    def request(self, data: bytes, *, bare: bool = False) -> Explained:
        """Explain a request, complete or truncated."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return _request(data, how, bare=bare)

        return with_guess(again(AS_DECLARED, data), _WAYS, again)

    def response(self, data: bytes, asked: RequestSummary, *, bare: bool = False) -> Explained:
        """Explain the response to a request."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return _response(data, asked, how, bare=bare)

        return with_guess(again(AS_DECLARED, data), _WAYS, again)

    def correlation_id(self, data: bytes, *, bare: bool = False) -> int | None:
        """The correlation id of a response; None if it is too short."""
        found = data[0 if bare else _CORRELATION_AT :][:4]
        return int.from_bytes(found, "big", signed=True) if len(found) == 4 else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its request types."""
        return tuple(one.name for one in RequestType)

    def number_of(self, name: str) -> int | None:
        """A request type by name or number; None if there is none."""
        plain = name.upper()
        return next((int(one) for one in RequestType if plain in (one.name, str(int(one)))), None)

    def newest_version(self, number: int) -> int:
        """There is only one."""
        del number
        return VERSION

    def opens(self, data: bytes) -> bool:
        """Whether bytes start like a request, without a size: a type and the version."""
        kind, version = int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big")
        return len(data) >= 4 and kind in _DECLARED and version == VERSION


def _request(data: bytes, how: Interpretation, *, bare: bool) -> Explained:
    walk = walk_of(data, how)
    found = Explained(kind="request", name="unknown", meaning="", data=data)
    try:
        if not bare:
            read_size(walk)
        at = walk.position
        header = _header(walk, RequestHeader)
        kind = _kind(header, at)
        request = _DECLARED[kind][0]
        found = replace(
            found,
            name=kind.name,
            meaning=sentence_of(request),
            version=header.version_id,
            correlation_id=header.correlation_id,
            client_id=header.client_id,
            asked=RequestSummary(kind, header.version_id, header.correlation_id),
        )
        _check_version(header.version_id, at + 2)
        message = read_message(walk, how, request, VERSION, _SENT)
        name_contradictions(walk, message)
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    if kind == RequestType.PRODUCE and not message.required_acks:
        found = replace(found, asked=None)
    return finished(replace(found, message=message), walk)


def _response(data: bytes, asked: RequestSummary, how: Interpretation, *, bare: bool) -> Explained:
    walk = walk_of(data, how)
    kind = RequestType(asked.number)
    response = _DECLARED[kind][1]
    meaning = sentence_of(response)
    found = Explained(kind="response", name=kind.name, meaning=meaning, data=data)
    try:
        if not bare:
            read_size(walk)
        at = walk.position
        header = _header(walk, ResponseHeader)
        found = replace(found, version=header.version_id, correlation_id=header.correlation_id)
        if asked.correlation_id not in (None, header.correlation_id):
            expected = f"{asked.correlation_id} expected, that of the request"
            walk.fault("header.correlation_id", f"{expected}, not {header.correlation_id}", at)
        _check_version(header.version_id, at + 4)
        message = read_message(walk, how, response, VERSION, _GIVEN)
        name_contradictions(walk, message)
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    return finished(replace(found, message=message), walk)


def _header(walk: Walk, declared: type) -> Any:
    layout = layout_in(declared, VERSION, encoding_in(declared, VERSION))
    return FieldReader(walk, _SENT).struct(layout, "header.")


def _kind(header: Any, at: int) -> RequestType:
    try:
        return RequestType(header.request_type_id)
    except ValueError:
        text = f"a type of 0, 1 or 4 expected, not {header.request_type_id}"
        raise UnreadableBytes(at, "header.request_type_id", text) from None


def _check_version(version: int, at: int) -> None:
    if version != VERSION:
        raise UnreadableBytes(at, "header.version_id", f"{VERSION} expected, not {version}")
