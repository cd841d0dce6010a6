from array import array

from barnabas.types import Buffer

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
def microseconds(source: memoryview, target: memoryview) -> bool: ...
def is_ascii(data: memoryview) -> bool: ...
