"""Ways back: what has a group be again as it was before a record that is refused had changed it."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

WayBack = Callable[[], object]


def to_values(*parts: Any) -> WayBack:
    """To what all attributes of these are now; what changes inside of them is not looked at."""
    were = [(part, _all_of(part.__class__)(part)) for part in parts]

    def go() -> None:
        for part, values in were:
            for name, value in zip(part.__slots__, values, strict=True):
                setattr(part, name, value)

    return go


@cache
def _all_of(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    return attrgetter(*kind.__slots__)


def to_entries(key: str, *tables: dict[str, Any]) -> WayBack:
    """To what these have under a key now, which is never None."""
    were = [(table, table.get(key)) for table in tables]

    def go() -> None:
        for table, value in were:
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value

    return go
