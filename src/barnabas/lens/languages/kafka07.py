"""Kafka07Lens: requests and replies of Kafka 0.6 and 0.7. Source: seed 000, Kafka 0.7.2.

A reply does not name its request: replies arrive in the order of the requests.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    MultiFetchRequest,
    MultiProduceRequest,
    OffsetsReply,
    OffsetsRequest,
    ProduceRequest,
    RequestType,
)
from barnabas.lens.contents.byte_messages import read_byte_messages
from barnabas.lens.languages.values07 import check_values
from barnabas.lens.walks.explaining import finished, read_message, walk_of
from barnabas.lens.walks.fields import Contents
from barnabas.lens.walks.frame_sizes import read_size
from barnabas.lens.walks.guesses import AS_DECLARED, Interpretation, altered, with_guess
from barnabas.lens.walks.part import Explained, Fault, RequestSummary
from barnabas.lens.walks.walk import UnreadableBytes, Walk
from barnabas.lens.walks.words import sentence_of

_DECLARED: dict[RequestType, type] = {
    RequestType.PRODUCE: ProduceRequest,
    RequestType.FETCH: FetchRequest,
    RequestType.MULTIFETCH: MultiFetchRequest,
    RequestType.MULTIPRODUCE: MultiProduceRequest,
    RequestType.OFFSETS: OffsetsRequest,
}
_SILENT = frozenset({RequestType.PRODUCE, RequestType.MULTIPRODUCE})
_CODES = {
    -1: "Unknown: an illegal topic, or an error without its own code",
    0: "NoError",
    1: "OffsetOutOfRange: no segment contains the offset",
    2: "InvalidMessage: a message does not match its checksum",
    3: "WrongPartition: there is no such partition",
    4: "InvalidFetchSize: the fetch size is smaller than the message",
}
_SENT = Contents(partial(read_byte_messages, cut=False), {})
_LONGEST_TOPIC = 255
_DONE = "what the frame has"
_Ways = tuple[tuple[str, Interpretation], ...]
_WAYS: _Ways = (("all numbers are in little-endian order", altered(order="<")),)


class Kafka07Lens:
    """Explains frames. `bare` frames have no size before them."""

    name = "kafka-0.7"
    returns_addresses = False

    def request(self, data: bytes, *, bare: bool = False) -> Explained:
        """Explain a request, complete or truncated."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return _request(data, how, bare=bare)

        return with_guess(again(AS_DECLARED, data), _WAYS, again)

    def response(self, data: bytes, asked: RequestSummary, *, bare: bool = False) -> Explained:
        """Explain the reply to a request."""

        def again(how: Interpretation, data: bytes) -> Explained:
            return _reply(data, RequestType(asked.number), how, bare=bare)

        return with_guess(again(AS_DECLARED, data), _WAYS, again)

    def correlation_id(self, data: bytes, *, bare: bool = False) -> None:
        """None: a reply does not name its request."""
        del data, bare

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its request types."""
        return tuple(one.name for one in RequestType)

    def number_of(self, name: str) -> int | None:
        """A request type by name or number; None if there is none."""
        plain = name.replace("_", "").replace("-", "").upper()
        return next((int(one) for one in RequestType if plain in (one.name, str(int(one)))), None)

    def newest_version(self, number: int) -> int:
        """There is only one."""
        del number
        return 0

    def opens(self, data: bytes) -> bool:
        """Whether bytes start like a request, without a size: a type, and a topic or a count."""
        kind, length = int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big")
        return len(data) >= 4 and kind in _DECLARED and length <= _LONGEST_TOPIC


def _request(data: bytes, how: Interpretation, *, bare: bool) -> Explained:
    walk = walk_of(data, how)
    found = Explained(kind="request", name="unknown", meaning="", data=data)
    try:
        if not bare:
            read_size(walk)
        kind = _kind(walk)
        declared = _DECLARED[kind]
        asked = None if kind in _SILENT else RequestSummary(kind, 0)
        found = replace(found, name=kind.name, meaning=sentence_of(declared), asked=asked)
        message = read_message(walk, how, declared, 0, _SENT)
        check_values(walk, kind)
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    return finished(replace(found, message=message), walk)


def _kind(walk: Walk) -> RequestType:
    at = walk.position
    number = walk.number("h", "request_type")
    if number not in _DECLARED:
        raise UnreadableBytes(at, "request_type", f"a type from 0 to 4 expected, not {number}")
    kind = RequestType(number)
    walk.parts[-1] = walk.parts[-1]._replace(meaning=kind.name)
    return kind


def _reply(data: bytes, kind: RequestType, how: Interpretation, *, bare: bool) -> Explained:
    walk = walk_of(data, how)
    meaning = "An error code, and the result."
    found = Explained(kind="response", name=kind.name, meaning=meaning, data=data)
    try:
        if not bare:
            read_size(walk)
        code = _code(walk, "")
        if kind in _SILENT:
            walk.fault("", f"{kind.name} has no reply", 0)
        elif kind == RequestType.OFFSETS:
            read_message(walk, how, OffsetsReply, 0, _SENT)
        elif kind == RequestType.FETCH:
            _messages(walk, "messages", code)
        else:
            for index, inner in enumerate(_parts(walk)):
                _messages(inner, f"parts[{index}].messages", _code(inner, f"parts[{index}]."))
                walk.leave(inner, f"parts[{index}]", "not understood")
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    return finished(replace(found, message=_DONE), walk)


def _parts(walk: Walk) -> Iterator[Walk]:
    """Read the replies within a MULTIFETCH reply, which does not count them."""
    index = 0
    while walk.left > 0:
        at, path = walk.position, f"parts[{index}].size"
        size = walk.number("i", path, "The number of bytes in this part.")
        if not 2 <= size <= walk.left:
            raise UnreadableBytes(at, path, f"a size from 2 to {walk.left} expected, not {size}")
        yield walk.within(size)
        index += 1


def _code(walk: Walk, path: str) -> int:
    at = walk.position
    code = walk.number("h", f"{path}error_code")
    walk.parts[-1] = walk.parts[-1]._replace(meaning=_CODES.get(code, ""))
    if code not in _CODES:
        walk.fault(f"{path}error_code", f"a code from -1 to 4 expected, not {code}", at)
    return code


def _messages(walk: Walk, path: str, code: int) -> None:
    if code and walk.left:
        walk.faults.append(Fault(walk.position, path, "nothing expected behind an error"))
    read_byte_messages(walk, path, cut=True)
