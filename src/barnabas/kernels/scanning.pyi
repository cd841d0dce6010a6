from array import array

from barnabas.types import Buffer

def scan(
    data: Buffer,
    table: array[int],
    first_row: int,
    end_row: int,
    lowest: int,
    beyond: int,
    offsets: memoryview,
    timestamps: memoryview,
    keys: memoryview,
    key_bits: memoryview,
    values: memoryview,
    value_bits: memoryview,
    headers: memoryview,
    places: memoryview,
    state: array[int],
) -> int: ...
