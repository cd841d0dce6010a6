from array import array
from typing import final

from barnabas.types import Buffer

@final
class Strings:
    def __init__(self, ends: memoryview, data: Buffer, bits: Buffer, bit_offset: int) -> None: ...

@final
class Rows:
    def __init__(
        self,
        timestamps: memoryview,
        key: Strings,
        value: Strings,
        header_ends: memoryview,
        header_key: Strings,
        header_value: Strings,
    ) -> None: ...

def sizes(
    rows: Rows,
    order: array[int] | memoryview,
    first: int,
    last: int,
    limit: int,
    sizes: array[int],
    state: array[int],
) -> int: ...
def write(
    rows: Rows,
    order: array[int] | memoryview,
    first: int,
    last: int,
    sizes: array[int],
    target: bytearray,
    at: int,
) -> int: ...
def unwritten(size: int) -> bytearray: ...
