from collections.abc import Callable
from typing import Any, Protocol, TypeVar, final

class _Appended(Protocol):
    base_offset: int

_Done = TypeVar("_Done", bound=_Appended)

@final
class Repeats:
    def __init__(self, largest: int, /) -> None: ...
    def learn(self, frame: bytes, response: bytes, again: Callable[[], bool], /) -> None: ...
    def learn_records(
        self,
        head: bytes,
        tail: bytes,
        response: bytes,
        offset_at: int,
        again: Callable[[memoryview], _Done | None],
        about: object,
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
        appended: list[tuple[int, Any, Any]],
        /,
    ) -> int: ...
