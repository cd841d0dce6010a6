from collections.abc import Mapping, Sequence
from typing import TypeAlias

_Row: TypeAlias = tuple[object, ...]

def write(
    correlation_id: int,
    version: int,
    error: int,
    session_id: int,
    fetched: Sequence[_Row],
    codes: Mapping[int, int],
) -> tuple[list[object], int] | None: ...
