from array import array

from barnabas.types import Buffer

def fill(tables: array[int]) -> int: ...
def small_batches(
    data: Buffer, table: array[int], largest: int, tables: array[int], wrong: array[int]
) -> int: ...
