"""Parse property values from text or from Python's own types: one function per type. No ranges.

Each raises ValueError with a description of a valid value.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum


class Kind(IntEnum):
    """The type of a property. The numbers are those of DescribeConfigs (KIP-569)."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


_TRUTH = {"true": True, "false": False}
_BITS = {Kind.SHORT: 16, Kind.INT: 32, Kind.LONG: 64}


def parse(kind: Kind, value: object) -> object:
    """Return the value as bool, str, int, float or tuple of str.

    Raises:
        ValueError: the value is not of this kind; the message says what is expected.
    """
    if kind in _BITS:
        return _whole(value, _BITS[kind])
    return _PARSERS[kind](value)


def _boolean(value: object) -> bool:
    truth = _TRUTH.get(str(value).strip().lower())
    if truth is None:
        raise ValueError("it must be true or false")
    return truth


def _whole(value: object, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("it must be a whole number")  # noqa: TRY004 - one kind of error
    try:
        number = int(value)
    except ValueError:
        raise ValueError("it must be a whole number") from None
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ValueError(f"it must fit in {bits} bits")
    return number


def _fraction(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("it must be a number")  # noqa: TRY004 - one kind of error
    try:
        return float(value)
    except ValueError:
        raise ValueError("it must be a number") from None


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("it must be text")  # noqa: TRY004 - one kind of error
    return str(value).strip()


def _list(value: object) -> tuple[str, ...]:
    if not isinstance(value, str | Sequence):
        raise ValueError("it must be a list, or text with commas")  # noqa: TRY004 - one kind
    parts: Sequence[object] = value.split(",") if isinstance(value, str) else value
    return tuple(word for word in (str(part).strip() for part in parts) if word)


_PARSERS: dict[Kind, Callable[[object], object]] = {
    Kind.BOOLEAN: _boolean,
    Kind.STRING: _text,
    Kind.DOUBLE: _fraction,
    Kind.LIST: _list,
    Kind.CLASS: _text,
    Kind.PASSWORD: _text,
}
