from array import array

from barnabas.types import Buffer

def siphash(data: Buffer, key0: int, key1: int) -> tuple[int, int]: ...
def look(
    data: Buffer,
    table: array[int],
    first: int,
    last: int,
    key0: int,
    key1: int,
    hashes: array[int],
    places: array[int],
    nulls: bytearray,
) -> int: ...
