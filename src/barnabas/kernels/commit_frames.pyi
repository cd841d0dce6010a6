from collections.abc import Callable, Sequence
from typing import TypeAlias

_Row: TypeAlias = tuple[object, ...]

Who: TypeAlias = tuple[str, int, str, str | None]
CommitRow: TypeAlias = tuple[int, Who, str | bytes, int, int, int, str]

def read(
    frame: bytes,
    lowest: int,
    highest: int,
    make: Callable[[type[_Row], _Row], _Row],
    topic: type[_Row],
    offset: type[_Row],
) -> tuple[int, int, str | None, str, int, str, str | None, list[_Row]] | None: ...
def write(
    correlation_id: int, version: int, topics: Sequence[_Row], codes: Sequence[int]
) -> bytes | None: ...
def read_several(
    received: bytes, first: int, lowest: int, highest: int, most: int
) -> tuple[int, str | None, list[CommitRow]] | None: ...
def write_several(version: int, rows: Sequence[CommitRow], codes: Sequence[int]) -> bytes: ...
