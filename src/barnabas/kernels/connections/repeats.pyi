from collections.abc import Callable
from typing import Any, final

@final
class RepeatCounts:
    def __init__(self) -> None: ...
    def of(self, key: int, /) -> tuple[int, int]: ...

@final
class Tally:
    def __init__(self) -> None: ...
    def count(self) -> int: ...

@final
class Repeats:
    def __init__(self, largest: int, counts: RepeatCounts | None = None, /) -> None: ...
    def learn(self, frame: bytes, response: bytes, again: Callable[[], bool], /) -> None: ...
    def learn_records(
        self,
        head: bytes,
        tail: bytes,
        response: bytes,
        offset_at: int,
        again: Callable[[memoryview, list[int]], tuple[object, list[int], bool] | None],
        about: object,
        tally: Tally | None = None,
        /,
        *,
        compact: bool,
    ) -> None: ...
    def learn_offsets(
        self,
        frame: bytes,
        offsets: list[int],
        response: bytes,
        again: Callable[[list[int]], object | None],
        about: object,
        /,
    ) -> None: ...
    def take(
        self,
        view: memoryview,
        start: int,
        end: int,
        responses: list[bytes],
        appended: list[tuple[int, int, Any, Any]],
        /,
        *,
        only_records: bool = False,
    ) -> int: ...
