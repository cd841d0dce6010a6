from array import array

from barnabas.types import Buffer

def write(
    data: Buffer,
    start: int,
    end: int,
    marks: bytearray,
    count: int,
    shift: int,
    out: bytearray | memoryview,
    at: int,
) -> int: ...
def survive(
    data: Buffer,
    table: array[int],
    first: int,
    last: int,
    kept_empty: array[int],
    marks: bytearray,
    verdicts: array[int],
    out: bytearray | memoryview,
    rewritten: array[int],
    state: array[int],
) -> int: ...
