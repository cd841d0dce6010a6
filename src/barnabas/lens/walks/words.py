"""The meaning of fields in a sentence: prose of their declarations, or shared words."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

from barnabas.errors import ErrorCode
from barnabas.lens.walks.glossary import CHOICES, GLOSSARY, OPERATIONS
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.schema import NO_UUID

_NO_OPERATIONS = -(2**31)
_YEAR_2000_MS = 946_684_800_000
_YEAR_2200_MS = 7_258_118_400_000
_SENTENCE = re.compile(r"(?<=[.;])\s+(?=[`A-Z])|\n\s*\n")

_MARKED = re.compile(r"`\w+`")


def sentence_of(declared: type) -> str:
    """The first sentence of a declaration's docstring."""
    return " ".join((declared.__doc__ or "").partition("\n\n")[0].split())


@cache
def prose_of(declared: type, name: str) -> str:
    """The description of a field in the docstring of its message or struct; "" without one."""
    marked = f"`{name}`"
    words = []
    for sentence in _SENTENCE.split(declared.__doc__ or ""):
        first = _MARKED.search(sentence)
        if first is not None and first.group() == marked:
            words.append(" ".join(sentence.split()).removeprefix(f"{marked}: "))
    return " ".join(words)


def meaning_of(declared: type, name: str, value: object) -> str:
    """The meaning of a field with this value; "" without one."""
    if isinstance(value, int) and (choice := _choice(declared, name, value)):
        return choice
    words = _meaning(name, value)
    if name == "name" and "Topic" in declared.__name__:
        name = "topic_name"
    prose = prose_of(declared, name) or GLOSSARY.get(name, "")
    return f"{words}; {prose}" if words and prose else words or prose


def error_text(code: int) -> str:
    """An error code by its name."""
    try:
        known = ErrorCode(code)
    except ValueError:
        return "no release has such an error code"
    if not known:
        return "no error"
    return f"{known.name}{', a retry may help' if known.retriable else ''}"


def time_text(time_ms: int) -> str:
    """A readable time; "" for none."""
    if not _YEAR_2000_MS <= time_ms < _YEAR_2200_MS:
        return ""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(" ", "milliseconds")[:-6]


def uuid_text(value: bytes) -> str:
    """An id in the notation of Kafka's tools: base64 without padding."""
    if value == NO_UUID:
        return "no id"
    return urlsafe_b64encode(value).decode().rstrip("=")


def api_name(key: int) -> str:
    """The name of an API: `CreateTopics` for 19."""
    try:
        return ApiKey(key).name.title().replace("_", "")
    except ValueError:
        return ""


def _choice(declared: type, name: str, value: int) -> str:
    choices = CHOICES.get(f"{declared.__name__}.{name}") or CHOICES.get(name, {})
    return choices.get(value, "")


def _meaning(name: str, value: object) -> str:
    """The meaning of the value itself."""
    return _number_meaning(name, value) if isinstance(value, int) else ""


def _number_meaning(name: str, value: int) -> str:
    if name.endswith("error_code") or name in _CODES:
        return error_text(value)
    if name == "api_key":
        return api_name(value)
    if name.endswith("authorized_operations") and not isinstance(value, bool):
        return _operations(value)
    return time_text(value) if name.endswith(_TIMES) else ""


_CODES = frozenset({"status_code", "error", "errors"})
_TIMES = ("timestamp", "timestamp_ms", "append_time_ms", "start_time_ms")


def _operations(bits: int) -> str:
    """The operations of a bit field, by number."""
    if bits == _NO_OPERATIONS:
        return "not asked for"
    names: Callable[[int], str] = lambda bit: OPERATIONS.get(bit, str(bit))  # noqa: E731
    return ", ".join(names(bit) for bit in range(31) if bits >> bit & 1)
