from array import array
from typing import final

from barnabas.types import Buffer

@final
class Messages:
    def __init__(
        self,
        offsets: memoryview,
        timestamps: memoryview,
        key: tuple[memoryview, Buffer, Buffer],
        value: tuple[memoryview, Buffer, Buffer],
    ) -> None: ...

def write(
    messages: Messages,
    first: int,
    last: int,
    magic: int,
    attributes: int,
    shift: int,
    tables: array[int],
    target: bytearray,
    at: int,
) -> int: ...
