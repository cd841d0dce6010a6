"""Subscriptions by regular expression, in the syntax of RE2, whose time grows with the text alone.

Source: KIP-848: the broker matches them, whole names against RE2/J in Kafka. Here it is the RE2 of
Google (package google-re2, the extra `regex`); it is imported when the first expression comes. Names
of transactions are looked for with it, too (KIP-1152).
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from barnabas.errors import BrokerError, ErrorCode

_MOST_BYTES = 1 << 20
"""The memory that one expression may take."""
_QUOTED_OR_ESCAPED = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)
_ONE_BYTE = r"\C"
"""A byte of a character: RE2/J does not know it."""


class _Pattern(Protocol):
    def fullmatch(self, text: str) -> object: ...


@lru_cache(maxsize=256)
def compiled(regex: str) -> _Pattern:
    """An expression, ready to match.

    Raises:
        BrokerError: INVALID_REGULAR_EXPRESSION.
    """
    if _ONE_BYTE in _QUOTED_OR_ESCAPED.findall(regex):
        raise BrokerError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"{regex!r} is no regular expression: {_ONE_BYTE} is not known",
        )
    # Imported late: few groups have expressions.
    try:
        import re2
    except ImportError as error:
        raise BrokerError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            "this broker has no regular expressions: pip install google-re2",
        ) from error

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_BYTES
    try:
        pattern: _Pattern = re2.compile(regex, options)
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise BrokerError(
            ErrorCode.INVALID_REGULAR_EXPRESSION, f"{regex!r} is no regular expression: {why}"
        ) from error
    return pattern


def matching(regex: str, names: Iterable[str]) -> frozenset[str]:
    """The names that an expression matches from beginning to end.

    Raises:
        BrokerError: INVALID_REGULAR_EXPRESSION.
    """
    pattern = compiled(regex)
    return frozenset(name for name in names if pattern.fullmatch(name))
