"""Check arguments that are lists: a text would count as a list of letters."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from barnabas.errors import InvalidArgument

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def listed(what: str, given: Iterable[_Item], kind: type[_Item], example: str) -> list[_Item]:
    """Return the argument `what` as a list of `kind`.

    Raises:
        TypeError: it is one text, one item, or holds something else; the message shows the example.
    """
    found: Any = given
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise TypeError(f"{what} takes a list, as {example}, not {found!r}")
    items = list(given)
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(f"{what} takes {kind.__name__}s, as {example}, not {item!r}")
    return items


def chosen(what: str, kind: str, given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the argument `what`, each word in the spelling of `known`; case does not matter.

    Raises:
        TypeError: it is one text, or holds something else.
        InvalidArgument: a word is unknown; the message lists those of this `kind`.
    """
    names = {name.lower(): name for name in known}
    words = listed(what, given, str, f"[{next(iter(names.values()))!r}]")
    for word in words:
        if word.lower() not in names:
            there = ", ".join(names.values())
            raise InvalidArgument(f"{what}: {word!r} is not a {kind}; expected one of {there}")
    return [names[word.lower()] for word in words]


def mapped(
    what: str, given: Mapping[_Key, _Value], example: str, *kinds: type
) -> Mapping[_Key, _Value]:
    """Return the argument `what`, a mapping whose values are of one of the `kinds`, if any.

    Raises:
        TypeError: it is not a mapping, or a value is of another kind; the message shows the example.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} takes a mapping, as {example}, not {given!r}")
    for key, value in given.items():
        if kinds and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise TypeError(f"{what} takes a mapping as {example}, not {value!r} for {key!r}")
    return given
