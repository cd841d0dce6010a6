"""A property as a row: name, type, default, range, importance, text; parse, check, describe.

This module reads no files and knows no property by name.
"""

from enum import Enum
from typing import NoReturn, TypedDict, Unpack, cast

from barnabas.config.parsing import Kind, parse
from barnabas.config.releases import is_before, is_reported_by_07, lowest_ever, lowest_in
from barnabas.errors import ConfigError

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
DOUBLE_MAX = 1.7976931348623157e308


class Importance(Enum):
    """How likely a user is to need the property."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


HIGH = Importance.HIGH
MEDIUM = Importance.MEDIUM
LOW = Importance.LOW


class RowLimits(TypedDict, total=False):
    """What a row may declare beyond its default and text; see `Setting`."""

    low: float
    high: float
    choices: tuple[str, ...]
    also: tuple[str, ...]
    synonym: str
    inert: str
    since: str
    gone: str
    internal: bool


class Setting:
    """One property: its name, valid values and meaning.

    `also` lists other names of the property. `synonym` is the broker-wide property that supplies a
    topic property's default. `inert` says why a value is accepted and stored but has no effect yet;
    it is empty otherwise. `since` and `gone` are the Kafka release lines that added and removed the
    property; a removed one can still be set. A property that is `internal` is described only where
    it is set.
    """

    __slots__ = (
        "also",
        "attribute",
        "choices",
        "default",
        "gone",
        "high",
        "importance",
        "inert",
        "internal",
        "kind",
        "low",
        "name",
        "since",
        "synonym",
        "text",
    )

    def __init__(
        self,
        kind: Kind,
        default: object,
        importance: Importance,
        text: str,
        **more: Unpack[RowLimits],
    ) -> None:
        self.kind = kind
        self.default = default
        self.importance = importance
        self.text = text
        self.low = more.get("low")
        self.high = more.get("high")
        self.choices = more.get("choices", ())
        self.also = more.get("also", ())
        self.synonym = more.get("synonym", "")
        self.inert = more.get("inert", "")
        self.since = more.get("since", "")
        self.gone = more.get("gone", "")
        self.internal = more.get("internal", False)
        self.attribute = ""
        self.name = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute
        self.name = attribute.replace("_", ".")

    @property
    def range(self) -> str:
        """The valid values in words; empty if the type says everything."""
        if self.choices:
            some = "any of" if self.kind is Kind.LIST else "one of"
            return f"{some} {', '.join(self.choices)}"
        if self.low is not None and self.high is not None:
            return f"between {self.low} and {self.high}"
        if self.low is not None:
            return f"at least {self.low}"
        return ""

    def is_of(self, release: str) -> bool:
        """Whether a Kafka release line has the property; empty for the current one."""
        if not release:
            return not self.gone
        if is_reported_by_07(release, self.name):
            return True
        begun = not self.since or not is_before(release, self.since)
        return begun and (not self.gone or is_before(release, self.gone))

    def parse(self, value: object, release: str = "", *, kept: bool = False) -> object:
        """Parse and check a value from a file, a command line or a caller.

        The range is that of a Kafka release line; empty for the current one. `kept` accepts a value
        that is valid in any release, because it was stored by a broker of an unknown one.

        Raises:
            ConfigError: wrong type or out of range; the message names property, value and range.
        """
        if value is None:
            if self.default is not None:
                self._refuse(value, "it must have a value")
            return None
        try:
            parsed = parse(self.kind, value)
        except ValueError as error:
            self._refuse(value, str(error))
        name = self.synonym or self.name
        lowest = lowest_ever(name) if kept else lowest_in(release, name)
        allowed = self.low if lowest is None else lowest
        if not self._holds(parsed, allowed):
            expected = self.range if lowest is None else f"at least {lowest}"
            self._refuse(value, f"it must be {expected}")
        return parsed

    def render(self, value: object) -> str | None:
        """The value as text that `parse` accepts; None stays None."""
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float):
            return str(value).replace("e+", "E")  # as Java writes it
        return ",".join(value) if isinstance(value, tuple) else str(value)

    def _holds(self, parsed: object, low: float | None) -> bool:
        if self.choices:
            given = parsed if isinstance(parsed, tuple) else (parsed,)
            return all(word in self.choices for word in given)
        if not isinstance(parsed, int | float):
            return True
        above = low is None or parsed >= low
        return above and (self.high is None or parsed <= self.high)

    def _refuse(self, value: object, why: str) -> NoReturn:
        raise ConfigError(f"{self.name}={value}: {why}")


def boolean(importance: Importance, *, default: bool, text: str, **more: Unpack[RowLimits]) -> bool:
    """Define a row for true or false."""
    return cast("bool", Setting(Kind.BOOLEAN, default, importance, text, **more))


def integer(default: int, importance: Importance, text: str, **more: Unpack[RowLimits]) -> int:
    """Define a row for a 32-bit integer."""
    return cast("int", Setting(Kind.INT, default, importance, text, **more))


def optional_integer(importance: Importance, text: str, **more: Unpack[RowLimits]) -> int | None:
    """Define a row for an optional 32-bit integer; the default is None."""
    return cast("int | None", Setting(Kind.INT, None, importance, text, **more))


def short(default: int, importance: Importance, text: str, **more: Unpack[RowLimits]) -> int:
    """Define a row for a 16-bit integer."""
    return cast("int", Setting(Kind.SHORT, default, importance, text, **more))


def long(default: int, importance: Importance, text: str, **more: Unpack[RowLimits]) -> int:
    """Define a row for a 64-bit integer."""
    return cast("int", Setting(Kind.LONG, default, importance, text, **more))


def optional_long(importance: Importance, text: str, **more: Unpack[RowLimits]) -> int | None:
    """Define a row for an optional 64-bit integer; the default is None."""
    return cast("int | None", Setting(Kind.LONG, None, importance, text, **more))


def double(default: float, importance: Importance, text: str, **more: Unpack[RowLimits]) -> float:
    """Define a row for a floating-point number."""
    return cast("float", Setting(Kind.DOUBLE, default, importance, text, **more))


def string(default: str, importance: Importance, text: str, **more: Unpack[RowLimits]) -> str:
    """Define a row for text."""
    return cast("str", Setting(Kind.STRING, default, importance, text, **more))


def optional_string(importance: Importance, text: str, **more: Unpack[RowLimits]) -> str | None:
    """Define a row for optional text; the default is None."""
    return cast("str | None", Setting(Kind.STRING, None, importance, text, **more))


def words(
    default: tuple[str, ...],
    importance: Importance,
    text: str,
    **more: Unpack[RowLimits],
) -> tuple[str, ...]:
    """Define a row for a comma-separated list."""
    return cast("tuple[str, ...]", Setting(Kind.LIST, default, importance, text, **more))
