from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, final

from barnabas.types import Buffer

_Made = TypeVar("_Made")

@final
class Field:
    def __init__(
        self,
        descriptor: object,
        form: tuple[int, int, bool, bool, int],
        inner: Shape | None,
        cost: int,
        path: str,
    ) -> None: ...

@final
class Missing:
    def __init__(
        self, descriptor: object, default: object, factory: Callable[[], object] | None
    ) -> None: ...

@final
class Shape:
    def __init__(
        self,
        made: type,
        fields: tuple[Field, ...],
        tagged: tuple[Field, ...],
        missing: tuple[Missing, ...],
        unknown: object,
        least: int,
        lengths: tuple[int, int, int],
        tags_path: str,
    ) -> None: ...

@final
class Reader:
    def __init__(
        self, shape: Shape, otherwise: Callable[[Buffer, int, int], Any], most: int
    ) -> None: ...
    def decode(self, data: Buffer, pos: int = 0, spare: int | None = None) -> tuple[Any, int]: ...

@final
class Requests(Generic[_Made]):
    def __init__(
        self,
        readers: Mapping[int, Reader],
        made: type[_Made],
        most: int,
    ) -> None: ...
    def read(self, frame: Buffer, /) -> _Made | None: ...
