"""Values in well-formed frames that every Kafka 0.7 broker refuses or disconnects for.

Source: Kafka 0.7.2's request handlers; seed 000.
"""

from barnabas.dialects.kafka07.messages import RequestType
from barnabas.lens.walks.part import Part, Value
from barnabas.lens.walks.walk import Walk

_ANY_PARTITION = frozenset({RequestType.PRODUCE, RequestType.MULTIPRODUCE})
_EARLIEST = -2


def check_values(walk: Walk, kind: RequestType) -> None:
    """Report them, each at its byte."""
    for part in list(walk.parts):
        if text := _problem(part, kind):
            walk.fault(part.path, text, part.start)


def _problem(part: Part, kind: RequestType) -> str:
    name, value = part.path.rpartition(".")[2], part.value
    if name == "topic":
        return _problem_of_topic(value)
    if not isinstance(value, int):
        return ""
    least = {
        "partition": -1 if kind in _ANY_PARTITION else 0,
        "max_size": 0,
        "max_number": 0,
        "time": _EARLIEST,
    }.get(name, value)
    return f"{least} or more expected, not {value}" if value < least else ""


def _problem_of_topic(value: Value) -> str:
    """Check the length before a name, or the name: each topic is a directory there."""
    if value == 0:
        return "the name of a topic expected, not an empty one"
    if not isinstance(value, str):
        return ""
    if value in {".", ".."} or "/" in value or "\0" in value:
        return f"a name that can be one of a directory expected, not {value!r}"
    return ""
