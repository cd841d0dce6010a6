from collections.abc import Callable

from barnabas.types import Buffer

def check(
    data: Buffer, start: int, end: int, count: int, base_time: int
) -> tuple[int, int, int]: ...
def summed() -> int: ...
def produced(data: Buffer, max_bytes: int) -> tuple[int, ...] | None: ...
def queued(
    log: object,
    view: memoryview,
    places: list[int],
    leader_epoch: int,
    now_ms: int,
    crc: Callable[[Buffer], int],
    bases: list[int],
) -> int: ...
