"""Properties from files and from command-line overrides, each with its origin.

This module opens no file; the callers do.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from barnabas.errors import ConfigError

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"


class PropertyText(NamedTuple):
    """A value as text, and its origin: `server.properties:12` or `--set`."""

    value: str
    source: str


def file_properties(text: str, name: str) -> dict[str, PropertyText]:
    """Parse the text of the .properties file called `name`; the last entry of a key wins.

    Raises:
        ConfigError: an invalid escape; the message names the line.
    """
    try:
        entries = list(parse_properties(text))
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from None
    return {key: PropertyText(value, f"{name}:{line}") for key, value, line in entries}


def overrides(pairs: Iterable[str], source: str = "--set") -> dict[str, PropertyText]:
    """Parse `name=value` pairs.

    Raises:
        ConfigError: a pair has no "=" or no name.
    """
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"{source} {pair}: expected name=value")
        found[name.strip()] = PropertyText(value.strip(), source)
    return found


def merge(*layers: Mapping[str, PropertyText]) -> dict[str, PropertyText]:
    """Merge layers into one mapping.

    A later layer wins, even if it spells the name with underscores.
    """
    merged: dict[str, PropertyText] = {}
    for layer in layers:
        merged |= {name.replace("_", "."): given for name, given in layer.items()}
    return merged


def values(given: Mapping[str, PropertyText]) -> dict[str, object]:
    """The plain values, for `Configuration.load`."""
    return {name: one.value for name, one in given.items()}


def format_properties(properties: Mapping[str, str]) -> str:
    """The text of a .properties file with these entries, which `file_properties` parses."""
    return "".join(
        f"{_escape(name, also='=:#! ')}={_escape(value)}\n" for name, value in properties.items()
    )


def parse_properties(text: str) -> Iterator[tuple[str, str, int]]:
    r"""Return key, value and line number of each entry, in order.

    Source: java.util.Properties.load: comments with # and !, keys up to "=", ":" or a blank, a
    backslash that continues a line, and the escapes \t \n \r \f and \uXXXX.

    Raises:
        ValueError: \u without its four digits.
    """
    for line, number in _logical_lines(text):
        end = _key_end(line)
        rest = line[end:].lstrip(_BLANKS)
        if rest[:1] in {"=", ":"}:
            rest = rest[1:].lstrip(_BLANKS)
        try:
            yield _unescape(line[:end]), _unescape(rest), number
        except ValueError:
            raise ValueError(
                f"line {number}: \\u must be followed by four hexadecimal digits"
            ) from None


def _escape(text: str, also: str = "") -> str:
    parts = []
    for position, letter in enumerate(text):
        if letter == "\\" or letter in also or (letter == " " and position == 0):
            parts.append(f"\\{letter}")
        elif letter.isprintable():
            parts.append(letter)
        else:  # Among these are all that end a line.
            parts.append(f"\\u{ord(letter):04x}")
    return "".join(parts)


def _logical_lines(text: str) -> Iterator[tuple[str, int]]:
    kept, first = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.lstrip(_BLANKS)
        if not kept:
            if not line or line[0] in "#!":
                continue
            first = number
        kept += line
        trailing = len(kept) - len(kept.rstrip("\\"))
        if trailing % 2:
            kept = kept[:-1]
            continue
        yield kept, first
        kept = ""
    if kept:
        yield kept, first


def _key_end(line: str) -> int:
    position = 0
    while position < len(line) and line[position] not in "=: \t\f":
        position += 2 if line[position] == "\\" else 1
    return min(position, len(line))


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    parts, position = [], 0
    while position < len(text):
        letter = text[position]
        position += 1
        if letter == "\\" and position < len(text):
            letter = text[position]
            position += 1
            if letter == "u":
                letter = _code_point(text[position : position + 4])
                position += 4
            else:
                letter = _ESCAPES.get(letter, letter)
        parts.append(letter)
    return "".join(parts)


def _code_point(digits: str) -> str:
    if len(digits) < 4:
        raise ValueError(digits)
    return chr(int(digits, 16))
