from array import array

class KeyMap:
    def __init__(self, slots: memoryview, most: int) -> None: ...
    @property
    def used(self) -> int: ...
    @property
    def latest(self) -> int: ...
    @property
    def size(self) -> int: ...
    def move(self, slots: memoryview, most: int) -> None: ...
    def reach(self, offset: int) -> None: ...

def learn(
    keys: KeyMap,
    hashes: array[int],
    places: array[int],
    nulls: bytearray,
    count: int,
    start_offset: int,
) -> int: ...
def judge(
    keys: KeyMap,
    table: array[int],
    first: int,
    last: int,
    now: int,
    hashes: array[int],
    places: array[int],
    nulls: bytearray,
    verdicts: array[int],
) -> int: ...
