from array import array

from barnabas.types import Buffer

def rows(data: Buffer, position: int, end: int, table: array[int], progress: array[int]) -> int: ...
def fill(tables: array[int]) -> int: ...
def check_crcs(
    data: Buffer,
    position: int,
    end: int,
    largest: int,
    tables: array[int],
    progress: array[int],
) -> int: ...
