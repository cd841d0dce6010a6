from typing import Any, TypeVar

from barnabas.types import Buffer

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
def key_of(group: str, topic: str, index: int) -> bytes | None: ...
def value_of(
    offset: int, leader_epoch: int, metadata: str, timestamp: int, topic_id: bytes
) -> bytes | None: ...
