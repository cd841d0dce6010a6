"""Refusals: an error response to any request.

It mirrors the request: an error at the top where the API has a place there, otherwise one for each topic,
partition or group that the request names. Source: Kafka's `getErrorResponse` of each request, in shape.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import NO_UUID, REQUIRED, Blob, Fixed, Text, declaration_of

_CODES: Final = frozenset({"error_code", "partition_error_code"})
_BY_PARTS: Final = frozenset(
    {ApiKey.FETCH, ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE, ApiKey.METADATA}
)
"""APIs whose top-level error concerns a session or the whole cluster: the error belongs in the parts."""
_SAME: Final = (
    ("name", "topic", "topic_name", "user"),
    ("topic_id",),
    ("partition_index", "partition", "index", "partition_id"),
    ("group_id",),
    ("member_id",),
    ("group_instance_id",),
    ("producer_id",),
    ("resource_type",),
    ("resource_name",),
    ("feature",),
)
"""Fields that identify a part; each row lists the names of one field in requests and responses."""
_OF_TEXT: Final = ("key", "group_id", "transactional_id", "name", "topic_name")
_OF_NUMBER: Final = "partition_index"
_SKIPPED: Final = frozenset({"forgotten_topics_data"})
_NESTED: Final = frozenset({ApiKey.ALTER_REPLICA_LOG_DIRS})
"""Arrays of requests that responses flatten: the response lists the elements inside their elements."""


class _Code(NamedTuple):
    code: ErrorCode
    message: str | None


def refusal(
    api: ApiKey, version: int, request: object, code: ErrorCode, message: str | None = None
) -> object:
    """The response to `request` that refuses all of it with `code`.

    `message` goes where the version has a place for one.
    """
    layout, elements = _layout(api, version), _elements_of(request, api)
    by_parts = api in _BY_PARTS and bool(elements)
    at_top = not by_parts and any(field.name in _CODES for field in layout.fields)
    return _filled(layout, elements, _Code(code, message), answers_here=at_top)


@cache
def _layout(api: ApiKey, version: int) -> StructLayout:
    declared = DECLARED[api].response
    return layout_of(declared, version, declaration_of(declared).encoding(version))


def _elements_of(request: object, api: ApiKey) -> list[object]:
    """The parts of the request to which the response's parts belong."""
    found = _sources(request)
    if api in _NESTED:
        return [inner for one in found for inner in _sources(one)]
    return list(found)


def _sources(asked: object) -> Iterator[object]:
    """The elements of the array in a request, or in a part of one, that a response answers one by one."""
    declared = type(asked)
    if "DECLARATION" not in declared.__dict__:
        return
    arrays = [
        value
        for name in declaration_of(declared).fields
        if name not in _SKIPPED and isinstance(value := getattr(asked, name), list)
    ]
    # Those of other versions are empty.
    yield from next((array for array in arrays if array), ())


def _filled(
    layout: StructLayout, elements: Iterable[object], code: _Code, *, answers_here: bool
) -> object:
    """A struct of the response; its code is here, or in the parts that answer `elements`."""
    values: dict[str, object] = {}
    for field in (*layout.fields, *layout.tagged):
        if field.name in _CODES:
            values[field.name] = code.code if answers_here else ErrorCode.NONE
        elif field.name == "error_message":
            values[field.name] = code.message if answers_here else None
        elif not answers_here and _carries_code(field):
            kind = field.kind
            assert isinstance(kind, StructLayout)
            values[field.name] = [_part(kind, one, code) for one in elements]
        else:
            values[field.name] = _nothing(field)
    return layout.declared(**values)


def _part(layout: StructLayout, asked: object, code: _Code) -> object:
    here = any(field.name in _CODES for field in layout.fields)
    part: Any = _filled(layout, _sources(asked), code, answers_here=here)
    names = {field.name for field in layout.fields}
    for name, value in _identity(asked):
        if name in names:
            setattr(part, name, value)
    return part


def _identity(asked: object) -> Iterator[tuple[str, object]]:
    """The fields that a part of a response copies from its part of the request."""
    if isinstance(asked, str):
        yield from ((name, asked) for name in _OF_TEXT)
    elif isinstance(asked, int):
        yield _OF_NUMBER, asked
    else:
        for same in _SAME:
            values = [getattr(asked, name) for name in same if hasattr(asked, name)]
            for value in values[:1]:
                kept = bytes(value) if isinstance(value, memoryview) else value
                yield from ((name, kept) for name in same)


def _carries_code(field: FieldLayout) -> bool:
    """Whether it is an array of parts with an error code each, or of structs that contain such parts."""
    kind = field.kind
    if not isinstance(kind, StructLayout) or not field.array:
        return False
    return any(inner.name in _CODES or _carries_code(inner) for inner in kind.fields)


def _nothing(field: FieldLayout) -> object:
    """The value of a field if the request was not handled: -1 for numbers, else empty."""
    default = field.make_default()
    if default is not REQUIRED:
        return default
    if field.array:
        return []
    kind = field.kind
    if isinstance(kind, StructLayout):
        return _filled(kind, (), _Code(ErrorCode.NONE, None), answers_here=False)
    if isinstance(kind, Fixed):
        return _number(field.name, kind.code)
    if field.nullable and isinstance(kind, Text | Blob):
        return None
    return "" if isinstance(kind, Text) else b""


def _number(name: str, code: str) -> object:
    if code == "16s":
        return NO_UUID
    if code == "?":
        return False
    return 0 if name == "throttle_time_ms" or code in "HI" else -1
