"""A frame in one line: its kind, topics, number of records and mistakes."""

import re

from barnabas.lens.walks.part import Explained, Part
from barnabas.lens.walks.words import error_text, uuid_text

_MOST_TOPICS = 3
_TOPIC = re.compile(r"(^|.*\.)(topic|topic_name|(topic\w*|responses)\[\d+\]\.name)$|topics\[\d+\]$")
_MESSAGE = re.compile(r".*\.messages\[\d+\]\.crc$")
_ERROR = re.compile(r"(error_code|\.error|^errors\[\d+\])$")
_BATCH = re.compile(r".*\.batches\[\d+\]\.count$")


def brief(found: Explained) -> str:
    """The kind and contents of a frame, without sender and time."""
    words = [found.name]
    if found.version is not None:
        words.append(f"v{found.version}")
    if found.correlation_id is not None:
        words.append(f"#{found.correlation_id}")
    if found.client_id is not None:
        words.append(repr(found.client_id))
    words.append(f"{len(found.data)} bytes")
    parts = list(_every(found.parts))
    more = [*_topics(parts), *_records(parts), *_errors(parts)]
    more += [f"mistake at {fault}" for fault in found.faults]
    return " ".join(words) + "".join(f", {each}" for each in more)


def _every(parts: tuple[Part, ...]) -> list[Part]:
    """All parts, including nested ones."""
    found = []
    for part in parts:
        found.append(part)
        if part.inside is not None:
            found += _every(part.inside.parts)
    return found


def _topics(parts: list[Part]) -> list[str]:
    names = [
        part.value for part in parts if isinstance(part.value, str) and _TOPIC.match(part.path)
    ]
    names += [
        f"topic id {uuid_text(part.value)}"
        for part in parts
        if isinstance(part.value, bytes) and part.path.endswith("topic_id") and any(part.value)
    ]
    known = list(dict.fromkeys(names))
    more = len(known) - _MOST_TOPICS
    return known[:_MOST_TOPICS] + [f"{more} more topics"] * (more > 0)


def _records(parts: list[Part]) -> list[str]:
    batched = [part.value for part in parts if _BATCH.match(part.path)]
    count = sum(value for value in batched if isinstance(value, int))
    count += sum(1 for part in parts if _MESSAGE.match(part.path))
    return [f"{count} record{'s' * (count != 1)}"] if count else []


def _errors(parts: list[Part]) -> list[str]:
    codes = [
        part.value for part in parts if _ERROR.search(part.path) and part.value not in (0, None)
    ]
    known = dict.fromkeys(code for code in codes if isinstance(code, int))
    return [error_text(code).partition(",")[0] for code in known]
