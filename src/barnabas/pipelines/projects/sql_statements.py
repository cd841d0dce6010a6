"""The statements of an SQL file of a project, without comments."""

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r"""
      (?P<comment> --[^\n]* | /\*(?!\+).*?\*/ )
    | (?P<text> \b[rR]'[^']*' | \b[rR]"[^"]*"
              | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*` )
    | (?P<end> ; )
    | \w+ | .
    """,
    re.DOTALL | re.VERBOSE,
)
"""The rules of Spark's lexer for semicolons, comments and literals. A hint is no comment."""


def statements(text: str) -> Iterator[str]:
    """The statements, which semicolons end; none for what is empty or a comment alone."""
    parts: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["end"]:
            yield from _whole(parts)
            parts = []
        else:
            parts.append(" " if token["comment"] else token[0])
    yield from _whole(parts)


def _whole(parts: list[str]) -> list[str]:
    found = "".join(parts).strip()
    return [found] if found else []
