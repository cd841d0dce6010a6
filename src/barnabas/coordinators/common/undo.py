"""Undo: functions that restore a group to its state before a change, if that cannot be written."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

Undo = Callable[[], object]


def restore_attributes(*parts: Any) -> Undo:
    """Restore all attributes of these objects to their present values; shallow."""
    saved = [(part, _attributes_of(part.__class__)(part)) for part in parts]

    def undo() -> None:
        for part, values in saved:
            for name, value in zip(part.__slots__, values, strict=True):
                setattr(part, name, value)

    return undo


@cache
def _attributes_of(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    return attrgetter(*kind.__slots__)


def restore_entries(key: str, *tables: dict[str, Any]) -> Undo:
    """Restore a key's present value in each of these tables. No value is None."""
    saved = [(table, table.get(key)) for table in tables]

    def undo() -> None:
        for table, value in saved:
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value

    return undo
