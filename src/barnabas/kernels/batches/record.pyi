from array import array
from typing import final

from barnabas.types import Buffer

@final
class Record:
    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    def __init__(
        self,
        topic: str,
        partition: int,
        offset: int,
        timestamp: int = -1,
        timestamp_type: int = 0,
        key: bytes | None = None,
        value: bytes | None = None,
        headers: tuple[tuple[str, bytes | None], ...] = (),
    ) -> None: ...

def decode(
    data: Buffer,
    table: array[int],
    first_row: int,
    end_row: int,
    lowest: int,
    beyond: int,
    limit: int,
    topic: str,
    partition: int,
    found: list[Record],
    state: array[int],
) -> int: ...
