from array import array

from barnabas.types import Buffer

def murmur2(key: Buffer) -> int: ...
def partitions_of_keys(
    ends: memoryview,
    data: Buffer,
    bits: Buffer,
    bit_offset: int,
    count: int,
    partitions: array[int],
) -> int: ...
def spread(partitions: array[int], run: int, partition: int, count: int) -> int: ...
def group(partitions: array[int], starts: array[int], order: array[int]) -> int: ...
