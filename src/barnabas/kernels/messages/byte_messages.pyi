from array import array
from typing import TypeVar

from barnabas.types import Buffer

_Message = TypeVar("_Message")

def rows(
    data: Buffer,
    position: int,
    end: int,
    tables: array[int],
    table: array[int],
    progress: array[int],
) -> int: ...
def check(data: Buffer, tables: array[int], largest: int, progress: array[int]) -> int: ...
def records(
    data: Buffer,
    table: array[int],
    first: int,
    last: int,
    target: bytearray,
    at: int,
) -> int: ...
def objects(
    data: Buffer,
    table: array[int],
    row: int,
    last: int,
    base: int,
    step: int,
    kind: type[_Message],
    found: list[_Message],
) -> int: ...
