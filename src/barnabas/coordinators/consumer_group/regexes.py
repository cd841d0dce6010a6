"""Subscriptions by regular expression, in RE2 syntax: matching time is linear in the text.

Source: KIP-848: the broker matches whole names, in Kafka with RE2/J. Here it is Google's RE2
(package google-re2), imported with the first expression. It also matches names of transactions
(KIP-1152).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Protocol
from weakref import WeakValueDictionary

from barnabas.errors import BrokerError, ErrorCode

_MOST_BYTES = 1 << 20
"""The memory that one expression may take."""
_LONGEST, _SHOWN = 1 << 16, 200
"""How long an expression may be, in characters, to be looked at at all; how much of it is quoted."""
_DEAR, _MOST_DEAR = ("\\p", "\\P", "{"), 256
"""Classes of Unicode and counted repeats, of which each takes some 0.1 ms to compile, and how many."""
_PROGRAMS_KEPT = 32
"""Matching names fills a third of what an expression may take, and a thousand groups may have one each."""
_STEPS_AT_ONCE = 40_000
"""How many steps of expressions may be made for one character each without a pause: some 20 ms."""
_QUOTED_OR_ESCAPED = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)
_ONE_BYTE = r"\C"
"""A byte of a character: RE2/J does not know it."""
_NO_NAME = re.compile(
    _QUOTED_OR_ESCAPED.pattern + r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*+\]", re.DOTALL
)
"""What may look like the name of a group and is none, as a class of characters."""
_NAME = re.compile(rf"({_NO_NAME.pattern})|\(\?P?<[^>]*>", re.DOTALL)


class _Pattern(Protocol):
    @property
    def groups(self) -> int: ...

    @property
    def groupindex(self) -> dict[str, int]: ...

    @property
    def programsize(self) -> int: ...

    def fullmatch(self, text: str) -> object: ...


class Expression:
    """An expression, and its matches among the names of the last call.

    `at_once`: how many names it may match without a pause for others. Its program is compiled again when
    new names come after other expressions were used.
    """

    __slots__ = ("__weakref__", "_found", "_seen", "_text", "at_once")

    def __init__(self, text: str) -> None:
        self._text = text
        self._seen: frozenset[str] = frozenset()
        self._found: frozenset[str] = frozenset()
        self.at_once = max(1, _STEPS_AT_ONCE // _program(text).programsize)

    def matches(self, name: str) -> bool:
        """Whether it matches a whole name."""
        return bool(_program(self._text).fullmatch(name))

    def among(self, names: frozenset[str]) -> frozenset[str]:
        """The matching names. Only names that are new since the last call are matched."""
        if names is not self._seen:
            self._learn(names, names - self._seen)
        return self._found

    def turns(self, names: frozenset[str]) -> float:
        """How many steps of `at_once` names are needed to match these."""
        return 0 if names is self._seen else len(names - self._seen) / self.at_once

    def in_steps(self, names: frozenset[str]) -> Iterator[None]:
        """Match the new names, `at_once` in each step; `among` has little left to do then."""
        new = sorted(names - self._seen)
        for first in range(0, len(new), self.at_once):
            # Others may have asked about other names since the step before.
            step = frozenset(new[first : first + self.at_once]) - self._seen
            if step:
                self._learn(self._seen | step, step)
                yield

    def _learn(self, names: frozenset[str], new: frozenset[str]) -> None:
        self._found = (self._found & names) | frozenset(filter(self.matches, new))
        self._seen = names


class LongWork(NamedTuple):
    """Expressions that must still match names. They keep the result as long as they live."""

    expressions: Sequence[Expression]
    names: frozenset[str]

    def steps(self) -> Iterator[None]:
        """Match them."""
        return chain.from_iterable(one.in_steps(self.names) for one in self.expressions)


_alive: WeakValueDictionary[str, Expression] = WeakValueDictionary()
"""Those that are kept somewhere, be it no longer in the cache."""


def compiled(regex: str) -> Expression:
    """An expression, ready to match.

    Raises:
        BrokerError: INVALID_REGULAR_EXPRESSION.
    """
    if len(regex) > _LONGEST:
        raise _refused(regex, f"it has {len(regex)} characters, and {_LONGEST} are the most")
    found = _found(regex)
    if isinstance(found, BrokerError):
        raise BrokerError(found.code, found.why)
    return found


@lru_cache(maxsize=256)
def _found(regex: str) -> Expression | BrokerError:
    """Compile an expression. Rejecting an invalid one may take as long."""
    alive = _alive.get(regex)
    if alive is not None:
        return alive
    try:
        made = _alive[regex] = Expression(regex)
    except BrokerError as error:
        return BrokerError(error.code, error.why)
    return made


@lru_cache(maxsize=_PROGRAMS_KEPT)
def _program(regex: str) -> _Pattern:
    dear = sum(map(regex.count, _DEAR))
    if dear > _MOST_DEAR:
        why = f"it has {dear} classes of Unicode and counted repeats, and {_MOST_DEAR} are the most"
        raise _refused(regex, why)
    if _ONE_BYTE in _QUOTED_OR_ESCAPED.findall(regex):
        raise _refused(regex, f"{_ONE_BYTE} is not known")
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
    # A group that is captured is followed through the text, each by itself.
    options.never_capture = True
    try:
        pattern: _Pattern = re2.compile(regex, options)
        if len(pattern.groupindex) < pattern.groups:
            raise _refused(regex, "two groups have the same name")
        if pattern.groups:
            # The option leaves those that have a name.
            pattern = re2.compile(_NAME.sub(lambda one: one[1] or "(?:", regex), options)
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise _refused(regex, _shown(why)) from error
    finally:
        # The package would keep the last 128 itself.
        re2.purge()
    return pattern


def matching(regex: str, names: Iterable[str]) -> frozenset[str]:
    """The names that an expression matches from beginning to end.

    Raises:
        BrokerError: INVALID_REGULAR_EXPRESSION.
    """
    return compiled(regex).among(frozenset(names))


def long_work(regexes: Iterable[str], names: frozenset[str]) -> LongWork | None:
    """The steps needed to match these names; None if they need no pause."""
    known = []
    for regex in regexes:
        # An invalid expression is reported to its sender.
        with suppress(BrokerError):
            known.append(compiled(regex))
    if sum(one.turns(names) for one in known) <= 1:
        return None
    return LongWork(known, names)


def _refused(regex: str, why: str) -> BrokerError:
    return BrokerError(
        ErrorCode.INVALID_REGULAR_EXPRESSION, f"{_shown(regex)!r} is no regular expression: {why}"
    )


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
