"""Names of APIs and errors in tests, and the topics and groups of a request."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, get_args, get_type_hints

from barnabas.errors import ErrorCode, InvalidArgument
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.wire.schema import declaration_of

_MOST_NEAR = 3
_NAMES_OF_TOPICS = ("name", "topic", "topic_name")
_GROUPS = ("group_id", "groups", "group_ids", "groups_names")


def name_of(api: ApiKey) -> str:
    """The name of an API as Kafka writes it, such as "OffsetCommit"."""
    return api.name.title().replace("_", "")


_APIS = {name_of(api).lower(): api for api in ApiKey}


def api_named(name: str | ApiKey) -> ApiKey:
    """The API of that name: "OffsetCommit" or "OFFSET_COMMIT".

    Raises:
        InvalidArgument: there is none; the message lists near matches.
    """
    if isinstance(name, ApiKey):
        return name
    found = _APIS.get(str(name).replace("_", "").lower())
    if found is None:
        _refuse("API", str(name), [name_of(api) for api in ApiKey])
    return found


def error_named(name: str | ErrorCode) -> ErrorCode:
    """The error of that name, such as "NOT_ENOUGH_REPLICAS".

    Raises:
        InvalidArgument: there is none, or it is NONE; the message lists near matches.
    """
    if isinstance(name, ErrorCode) and name is not ErrorCode.NONE:
        return name
    known = [code.name for code in ErrorCode if code is not ErrorCode.NONE]
    if name not in known:
        _refuse("error", getattr(name, "name", str(name)), known)
    return ErrorCode[str(name)]


def _refuse(kind: str, name: str, known: list[str]) -> NoReturn:
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=_MOST_NEAR, cutoff=0.5)
    meant = ", ".join(by_lower[one] for one in near)
    hint = f"did you mean {meant}?" if near else f"expected a name as {known[0]} or {known[1]}"
    raise InvalidArgument(f"Kafka has no {kind} {name!r}; {hint}")


def check_names(apis: Iterable[ApiKey], *, topic: str | None, group: str | None) -> None:
    """Whether requests of these APIs name a topic, or a group, where one is given.

    Raises:
        InvalidArgument: one of them does not.
    """
    for api in apis:
        declared = DECLARED[api].request
        if topic is not None and not _has(declared, lambda name: "topic" in name):
            raise InvalidArgument(f"topic={topic!r}: a {name_of(api)} request names no topic")
        if group is not None and not _has(declared, _GROUPS.__contains__):
            raise InvalidArgument(f"group={group!r}: a {name_of(api)} request names no group")


def _has(declared: type, is_one: Callable[[str], bool]) -> bool:
    """Whether a message has such a field, or a part of it has."""
    fields = declaration_of(declared).fields
    if any(map(is_one, fields)):
        return True
    hints = get_type_hints(declared)
    return any(_has(part, is_one) for name in fields for part in _parts(hints[name]))


def _parts(hint: object) -> Iterator[type]:
    """The structs in the type of a field."""
    if isinstance(hint, type) and "DECLARATION" in hint.__dict__:
        yield hint
    for inner in get_args(hint):
        yield from _parts(inner)


def topics_in(message: object, name_of_id: Callable[[bytes], str | None]) -> Iterator[str]:
    """The names of all topics in a message, also of those that it names by their ids."""
    for field, value in _fields(message):
        if isinstance(value, list):
            for one in value:
                if isinstance(one, str):
                    if "topic" in field:
                        yield one
                elif "DECLARATION" in type(one).__dict__:
                    if "topic" in field or hasattr(one, "topic"):
                        yield from _name_of_topic(one, name_of_id)
                    yield from topics_in(one, name_of_id)


def _name_of_topic(part: Any, name_of_id: Callable[[bytes], str | None]) -> Iterator[str]:
    named = [getattr(part, each) for each in _NAMES_OF_TOPICS if hasattr(part, each)]
    if named and named[0]:
        yield named[0]
    elif hasattr(part, "topic_id"):
        found = name_of_id(bytes(part.topic_id))
        if found is not None:
            yield found


def groups_in(message: object) -> Iterator[str]:
    """The ids of all groups in a message."""
    for field, value in _fields(message):
        if field in _GROUPS:
            yield from _group_ids(value if isinstance(value, list) else [value])


def _group_ids(values: Iterable[Any]) -> Iterator[str]:
    for one in values:
        found = one if isinstance(one, str) else getattr(one, "group_id", "")
        if found:
            yield found


def _fields(message: object) -> Iterator[tuple[str, Any]]:
    if "DECLARATION" in type(message).__dict__:
        for name in declaration_of(type(message)).fields:
            yield name, getattr(message, name)
