"""One request or response of Kafka 0.8 to 4.x: size, header and message, under one reading."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from barnabas.errors import ErrorCode
from barnabas.lens.contents.embedded import KNOWN_BYTES
from barnabas.lens.contents.record_sets import read_records
from barnabas.lens.walks.explaining import finished, read_message, walk_of
from barnabas.lens.walks.fields import Contents
from barnabas.lens.walks.frame_sizes import read_size
from barnabas.lens.walks.guesses import AS_DECLARED, Interpretation
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.walks.walk import UnreadableBytes, Walk, counted_bytes
from barnabas.lens.walks.words import sentence_of
from barnabas.protocol.api_keys import Api, ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.envelope import EnvelopeRequest, EnvelopeResponse
from barnabas.protocol.fetch_snapshot import FetchSnapshotResponsePartition

KEYS = frozenset(ApiKey)

_MOST_TAGS = 1000
_NO_ANSWER = 0


def explain_request(
    data: bytes, how: Interpretation, *, bare: bool, contents: Contents | None = None
) -> Explained:
    """Explain a request, as far as it parses."""
    walk = walk_of(data, how)
    found = Explained(kind="request", name="unknown", meaning="", data=data)
    try:
        if not bare:
            read_size(walk)
        found, asked = _head(walk, found)
        api = DECLARED[ApiKey(asked.number)]
        found = _named(walk, found, asked, api)
        _header_tags(walk, how, tagged=asked.version in api.flexible)
        version = asked.version if how.version is None else how.version
        message = read_message(walk, how, api.request, version, contents or _SENT)
        enveloped = message.request_data if api.key == ApiKey.ENVELOPE else None
        # A null is already reported as a mistake.
        if enveloped is not None and contents is None:
            asked = asked._replace(inner=_read_whole(enveloped).asked)
        silent = api.key == ApiKey.PRODUCE and message.acks == _NO_ANSWER
        found = replace(found, message=message, asked=None if silent else asked)
    except _Stopped as stopped:
        return finished(stopped.so_far, walk, stopped.broken)
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    return finished(found, walk)


def explain_response(
    data: bytes, asked: RequestSummary, how: Interpretation, *, bare: bool
) -> Explained:
    """Explain a response, as far as it parses."""
    walk = walk_of(data, how)
    api = DECLARED[ApiKey(asked.number)]
    found = Explained(
        kind="response",
        name=api.name,
        meaning=sentence_of(api.response),
        data=data,
        version=asked.version,
    )
    try:
        if not bare:
            read_size(walk)
        at = walk.position
        correlation_id = walk.number("i", "header.correlation_id", "That of the request.")
        if asked.correlation_id not in (None, correlation_id):
            text = f"{asked.correlation_id} expected, that of the request, not {correlation_id}"
            walk.fault("header.correlation_id", text, at)
        version = _answered_in(walk, api, asked.version, how)
        found = replace(found, correlation_id=correlation_id, version=version)
        tagged = version in api.flexible and api.key != ApiKey.API_VERSIONS
        _header_tags(walk, how, tagged=tagged)
        given = _GIVEN if asked.inner is None else _with_response(asked.inner)
        found = replace(found, message=read_message(walk, how, api.response, version, given))
    except UnreadableBytes as broken:
        return finished(found, walk, broken)
    return finished(found, walk)


class _Stopped(Exception):
    """A header is broken; its fields so far are kept."""

    def __init__(self, so_far: Explained, broken: UnreadableBytes) -> None:
        self.so_far = so_far
        self.broken = broken
        super().__init__(broken.text)


def _head(walk: Walk, found: Explained) -> tuple[Explained, RequestSummary]:
    """Read the header fields that are the same in every version."""
    at = walk.position
    key = walk.number("h", "header.api_key")
    if key not in KEYS:
        text = f"the key of an API, 0 to {max(KEYS)}, expected, not {key}"
        raise UnreadableBytes(at, "header.api_key", text)
    api = DECLARED[ApiKey(key)]
    walk.parts[-1] = walk.parts[-1]._replace(meaning=api.name)
    found = replace(found, name=api.name, meaning=sentence_of(api.request))
    try:
        version = walk.number("h", "header.api_version", f"{api.name} has {api.versions}.")
        meaning = "The response repeats it."
        correlation_id = walk.number("i", "header.correlation_id", meaning)
    except UnreadableBytes as broken:
        raise _Stopped(found, broken) from None
    asked = RequestSummary(key, version, correlation_id)
    found = replace(found, version=version, correlation_id=correlation_id, asked=asked)
    return found, asked


def _named(walk: Walk, found: Explained, asked: RequestSummary, api: Api) -> Explained:
    """Read the client id, if the version exists."""
    if asked.version not in api.versions:
        text = f"a version of {api.name}, {api.versions}, expected, not {asked.version}"
        raise _Stopped(found, UnreadableBytes(walk.position - 6, "header.api_version", text))
    try:
        if (api.key, asked.version) == (ApiKey.CONTROLLED_SHUTDOWN, 0):
            return found
        return replace(found, client_id=_client_id(walk))
    except UnreadableBytes as broken:
        raise _Stopped(found, broken) from None


def _client_id(walk: Walk) -> str | None:
    at, path = walk.position, "header.client_id"
    length = walk.number("h", path, "-1 is null.", kind="length, int16")
    if length == -1:
        walk.parts[-1] = walk.parts[-1]._replace(value=None)
        return None
    if not 0 <= length <= walk.left:
        raise UnreadableBytes(at, path, f"a length from -1 to {walk.left} expected, not {length}")
    return walk.text(length, path, "The client's name for itself.")


def _header_tags(walk: Walk, how: Interpretation, *, tagged: bool) -> None:
    """Skip tagged fields of a header; none are defined."""
    if not (tagged if how.header_tags is None else how.header_tags):
        return
    at, where = walk.position, "header.tagged fields"
    count = walk.unsigned(where, kind="count, unsigned varint")
    if count > _MOST_TAGS:
        raise UnreadableBytes(at, where, f"no header has {count} tagged fields")
    for _ in range(count):
        tag = walk.unsigned(where, kind="tag, unsigned varint")
        at, path = walk.position, f"header.tag {tag}"
        size = walk.unsigned(path, kind="size, unsigned varint")
        if size > walk.left:
            raise UnreadableBytes(
                at, path, f"a size of {size} with {counted_bytes(walk.left)} left"
            )
        walk.bytes(size, path)


def _answered_in(walk: Walk, api: Api, asked: int, how: Interpretation) -> int:
    """The version of the response: that of the request, with one exception.

    Source: KIP-511: ApiVersions in a version that the broker does not know is answered in 0.
    """
    if how.version is not None:
        return how.version
    if api.key == ApiKey.API_VERSIONS:
        code = walk.data[walk.position : walk.position + 2]
        if int.from_bytes(code, "big") == ErrorCode.UNSUPPORTED_VERSION:
            return 0
    if asked not in api.versions:
        text = f"{api.name} has no version {asked}, only {api.versions}"
        raise UnreadableBytes(walk.position, api.response.__name__, text)
    return asked


def _unaligned(walk: Walk, path: str) -> None:
    walk.rest(path, "a part of a snapshot file, truncated anywhere")


def _read_whole(data: bytes) -> Explained:
    """Read a request in an Envelope; one nested in it stays bytes."""
    return explain_request(data, AS_DECLARED, bare=True, contents=_ENVELOPED)


def _enveloped(walk: Walk, path: str, read: Callable[[bytes], Explained]) -> None:
    """Read a frame without its size inside another, as parts of that."""
    at = walk.position
    found = read(walk.data[at : walk.end])
    walk.parts += [
        part._replace(start=at + part.start, end=at + part.end, path=f"{path}.{part.path}")
        for part in found.parts
    ]
    walk.faults += [
        fault._replace(position=at + fault.position, path=f"{path}.{fault.path}", fatal=False)
        for fault in found.faults
    ]


def _with_response(asked: RequestSummary) -> Contents:
    read = partial(explain_response, asked=asked, how=AS_DECLARED, bare=True)
    response = partial(_enveloped, read=read)
    return _GIVEN._replace(known=_KNOWN | {(EnvelopeResponse, "response_data"): response})


_KNOWN = KNOWN_BYTES | {(FetchSnapshotResponsePartition, "unaligned_records"): _unaligned}
_ENVELOPED = Contents(partial(read_records, cut=False), _KNOWN)
_SENT = _ENVELOPED._replace(
    known=_KNOWN | {(EnvelopeRequest, "request_data"): partial(_enveloped, read=_read_whole)}
)
_GIVEN = Contents(partial(read_records, cut=True), _KNOWN)
"""A broker truncates a record set at the limit; no other peer may."""
