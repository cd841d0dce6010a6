"""A condition on a part of a document: a path and a comparison. `order.items[0].name=screw`."""

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from barnabas.console.forms import wrong

_STEP: Final = re.compile(
    r"""\s*(?:(?P<dot>\.?)\s*(?P<name>[^\s.\[\]=<>!"'](?:[^.\[\]=<>!"']*[^\s.\[\]=<>!"'])?)"""
    r"""|\[\s*(?P<number>\d+)\s*\]|\[\s*(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')\s*\])"""
)
_COMPARISON: Final = re.compile(r"\s*(<=|>=|!=|==|=|<|>)\s*")

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Of two numbers, or of two texts."""

_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """The part at `path` must exist; with `comparison` also be so compared with `expected`.

    `text` is what was typed. It is not only compared as the JSON that it may be: `5` also equals the
    text "5".
    """

    path: tuple[str, ...]
    comparison: str = ""
    expected: Any = None
    text: str = ""

    def fits(self, document: Any) -> bool:
        """Whether a document has such a part."""
        found = at_path(document, self.path)
        if found is _MISSING:
            return False
        match self.comparison:
            case "":
                return True
            case "=":
                return self._equals(found)
            case "!=":
                return not self._equals(found)
            case other:
                expected = self.text if isinstance(found, str) else self.expected
                if isinstance(self.expected, str):
                    expected = self.expected
                alike = _is_number(found) and _is_number(expected)
                alike = alike or (isinstance(found, str) and isinstance(expected, str))
                return alike and bool(_COMPARISONS[other](found, expected))

    def _equals(self, found: Any) -> bool:
        if isinstance(found, str) and not isinstance(self.expected, str):
            return found == self.text
        is_truth = isinstance(found, bool)
        return is_truth == isinstance(self.expected, bool) and bool(found == self.expected)


def condition_of(text: str) -> ValueCondition:
    """The condition that somebody typed: PATH, or PATH, a comparison and a value.

    A path has names with dots between, `[0]` for an item of a list, and `["a.b"]` for a name that has
    a dot, a bracket or a comparison. A value that is no JSON is text.

    Raises:
        HTTPException: it is none.
    """
    at = 1 if text.startswith("$") and text[1:2] in (".", "[") else 0
    steps: list[str] = []
    while found := _STEP.match(text, at):
        if steps and found["name"] is not None and not found["dot"]:
            break
        steps.append(_name_of(found))
        at = found.end()
    if not steps:
        raise wrong(_refusal(text))
    if not text[at:].strip():
        return ValueCondition(tuple(steps))
    sign = _COMPARISON.match(text, at)
    if sign is None:
        raise wrong(_refusal(text))
    value = text[sign.end() :].strip()
    comparison = "=" if sign[1] == "==" else sign[1]
    if not value and comparison in _COMPARISONS:
        raise wrong(f"json: there is no value after {text.strip()[:80]!r}")
    return ValueCondition(tuple(steps), comparison, _literal(value), value)


def _name_of(step: re.Match[str]) -> str:
    quoted = step["quoted"]
    if quoted is None:
        name: str = step["number"] or step["name"]
        return name
    if quoted[0] == "'":
        return str(quoted[1:-1])
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise wrong(f"json: {quoted[:80]} is no text in quotes") from None


def _refusal(text: str) -> str:
    return (
        "json must be a path such as order.items[0].name=screw, weight>=290 or "
        f'["name.with.dots"]!=0, not {text[:80]!r}'
    )


def at_path(document: Any, path: tuple[str, ...]) -> Any:
    """The part of a JSON document at a path; if there is none, a value that equals nothing."""
    for step in path:
        if isinstance(document, dict) and step in document:
            document = document[step]
        elif isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        else:
            return _MISSING
    return document


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
