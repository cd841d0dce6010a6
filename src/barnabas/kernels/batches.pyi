from array import array

from barnabas.types import Buffer

def count(data: Buffer) -> int: ...
def walk(data: Buffer, table: array[int]) -> int: ...
def check(data: Buffer, start: int, end: int, count: int, state: array[int]) -> int: ...
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
def gather(
    data: Buffer,
    which: int,
    places: memoryview,
    ends: memoryview,
    first: int,
    last: int,
    target: memoryview,
) -> int: ...
def gather_headers(
    data: Buffer,
    places: memoryview,
    ends: memoryview,
    first: int,
    last: int,
    key_ends: memoryview,
    keys: memoryview,
    value_ends: memoryview,
    value_bits: memoryview,
    values: memoryview,
    state: array[int],
) -> int: ...
