"""A property as a row: name, type, default, range, importance, text; parse, check, explain.

Reads no files and knows no property by name.
"""

from enum import Enum
from typing import NoReturn, TypedDict, Unpack, cast

from barnabas.config.parsing import Kind, parse
from barnabas.config.releases import is_before, is_told_by_07, lowest_ever, lowest_in
from barnabas.errors import ConfigError

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
DOUBLE_MAX = 1.7976931348623157e308


class Importance(Enum):
    """How likely someone is to need the property."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


HIGH = Importance.HIGH
MEDIUM = Importance.MEDIUM
LOW = Importance.LOW


class Limits(TypedDict, total=False):
    """What a row may say beyond its default and text; see `Setting`."""

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
    """One property: what it is called, what it may hold, what it means.

    `also` lists other names for the same property. `synonym` is the broker-wide property that gives
    a topic property its default. `inert` says why a value is accepted and kept but changes nothing
    yet; it is empty for all others. `since` and `gone` are the release lines of Kafka that brought and
    took away the property, where that matters; one that is gone can still be set. One that is
    `internal` is described only where it is set.
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
        **more: Unpack[Limits],
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
        """What the value may be, in words; empty where the type says all."""
        if self.choices:
            some = "any of" if self.kind is Kind.LIST else "one of"
            return f"{some} {', '.join(self.choices)}"
        if self.low is not None and self.high is not None:
            return f"between {self.low} and {self.high}"
        if self.low is not None:
            return f"at least {self.low}"
        return ""

    def is_of(self, release: str) -> bool:
        """Whether a release line of Kafka has the property; empty: today's."""
        if not release:
            return not self.gone
        if is_told_by_07(release, self.name):
            return True
        begun = not self.since or not is_before(release, self.since)
        return begun and (not self.gone or is_before(release, self.gone))

    def parse(self, value: object, release: str = "", *, kept: bool = False) -> object:
        """Turn what a file, a command line or a caller gave into a checked value.

        Its range is that of a release line of Kafka; empty: today's. `kept`: what has the value got
        it from a broker of any release.

        Raises:
            ConfigError: wrong type or out of range; names property, value and range.
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
            said = self.range if lowest is None else f"at least {lowest}"
            self._refuse(value, f"it must be {said}")
        return parsed

    def render(self, value: object) -> str | None:
        """The value as text that `parse` reads again; None stays None."""
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


def boolean(importance: Importance, *, default: bool, text: str, **more: Unpack[Limits]) -> bool:
    """A row of true or false."""
    return cast("bool", Setting(Kind.BOOLEAN, default, importance, text, **more))


def integer(default: int, importance: Importance, text: str, **more: Unpack[Limits]) -> int:
    """A row of a 32-bit number."""
    return cast("int", Setting(Kind.INT, default, importance, text, **more))


def optional_integer(importance: Importance, text: str, **more: Unpack[Limits]) -> int | None:
    """A row of a 32-bit number that may be absent, and is by default."""
    return cast("int | None", Setting(Kind.INT, None, importance, text, **more))


def short(default: int, importance: Importance, text: str, **more: Unpack[Limits]) -> int:
    """A row of a 16-bit number."""
    return cast("int", Setting(Kind.SHORT, default, importance, text, **more))


def long(default: int, importance: Importance, text: str, **more: Unpack[Limits]) -> int:
    """A row of a 64-bit number."""
    return cast("int", Setting(Kind.LONG, default, importance, text, **more))


def optional_long(importance: Importance, text: str, **more: Unpack[Limits]) -> int | None:
    """A row of a 64-bit number that may be absent, and is by default."""
    return cast("int | None", Setting(Kind.LONG, None, importance, text, **more))


def double(default: float, importance: Importance, text: str, **more: Unpack[Limits]) -> float:
    """A row of a fraction."""
    return cast("float", Setting(Kind.DOUBLE, default, importance, text, **more))


def string(default: str, importance: Importance, text: str, **more: Unpack[Limits]) -> str:
    """A row of text."""
    return cast("str", Setting(Kind.STRING, default, importance, text, **more))


def optional_string(importance: Importance, text: str, **more: Unpack[Limits]) -> str | None:
    """A row of text that may be absent, and is by default."""
    return cast("str | None", Setting(Kind.STRING, None, importance, text, **more))


def words(
    default: tuple[str, ...],
    importance: Importance,
    text: str,
    **more: Unpack[Limits],
) -> tuple[str, ...]:
    """A row of texts with commas between them."""
    return cast("tuple[str, ...]", Setting(Kind.LIST, default, importance, text, **more))
