from collections.abc import Callable
from typing import TypeAlias

_Row: TypeAlias = tuple[object, ...]

def read(
    frame: bytes,
    lowest: int,
    highest: int,
    make: Callable[[type[_Row], _Row], _Row],
    part: type[_Row],
) -> tuple[int, int, str | None, int, int, int, int, int, int, int, list[_Row]] | None: ...
