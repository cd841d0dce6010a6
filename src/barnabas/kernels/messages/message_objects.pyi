from array import array

from barnabas.kernels.batches.record import Record
from barnabas.types import Buffer

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
