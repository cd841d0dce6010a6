from typing import Any, TypeVar, final

_Leaving = TypeVar("_Leaving")

@final
class Sender:
    def __init__(self, outbox: type[Any]) -> None: ...
    def send(self, leaving: list[_Leaving], /) -> list[_Leaving]: ...
