from array import array

from barnabas.types import Buffer

def rows(
    data: Buffer,
    position: int,
    end: int,
    tables: array[int],
    table: array[int],
    progress: array[int],
) -> int: ...
def records(
    data: Buffer,
    table: array[int],
    first: int,
    last: int,
    target: bytearray,
    at: int,
) -> int: ...
