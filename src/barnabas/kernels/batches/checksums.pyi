from array import array

from barnabas.types import Buffer

def small_batches(data: Buffer, table: array[int], largest: int, wrong: array[int]) -> int: ...
