from collections.abc import Callable
from typing import Any, final

@final
class Field:
    def __init__(
        self,
        descriptor: object,
        form: tuple[int, int, bool, bool, int],
        inner: Shape | None,
        default: object,
    ) -> None: ...

@final
class Shape:
    def __init__(
        self,
        made: type,
        fields: tuple[Field, ...],
        tagged: tuple[Field, ...],
        unknown: object,
        lengths: tuple[int, int, int],
    ) -> None: ...

@final
class Writer:
    def __init__(self, shape: Shape, otherwise: Callable[[Any], bytes]) -> None: ...
    def encode(self, message: object, /) -> bytes: ...
    def reply(self, correlation_id: int, message: object, /) -> bytes: ...
    def tagged_reply(self, correlation_id: int, message: object, /) -> bytes: ...
    def parts(
        self, message: object, head: int = 0, correlation_id: int = 0
    ) -> bytes | tuple[list[Any], int] | None: ...
