from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from barnabas.kernels.commit_frames import CommitRow
from barnabas.types import Buffer

_Committed = TypeVar("_Committed", bound=tuple[object, ...])
_Position = TypeVar("_Position", bound=tuple[object, ...])
_Record = TypeVar("_Record", bound=tuple[object, ...])

def replay(
    keys: bytes,
    key_ends: memoryview,
    values: bytes,
    value_ends: memoryview,
    has_value: Buffer | None,
    first: int,
    groups: dict[str, Any],
    names: dict[bytes, tuple[str, str]],
    position: type,
    committed: type,
) -> int: ...
def replay_one(
    key: bytes,
    value: bytes | None,
    groups: dict[str, Any],
    position: type,
    committed: type,
) -> bool: ...
def record_of(
    group: str, position: tuple[str, int], committed: tuple[object, ...], kind: type[_Record]
) -> _Record | None: ...
def append_several(
    append: Callable[[int, bytes, bytes, tuple[()]], object],
    appended_ms: int,
    group: str,
    topic: str,
    topic_id: bytes,
    now_ms: int,
    rows: Sequence[CommitRow],
    position: type[_Position],
    committed: type[_Committed],
) -> list[tuple[_Position, _Committed]]: ...
def key_of(group: str, topic: str, index: int) -> bytes | None: ...
def value_of(
    offset: int, leader_epoch: int, metadata: str, timestamp: int, topic_id: bytes
) -> bytes | None: ...
