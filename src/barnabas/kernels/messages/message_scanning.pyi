from array import array

from barnabas.types import Buffer

def scan(
    data: Buffer,
    table: array[int],
    first_row: int,
    end: int,
    lowest: int,
    beyond: int,
    longs: memoryview,
    ints: memoryview,
    bits: memoryview,
    places: memoryview,
    state: array[int],
) -> int: ...
