from barnabas.types import Buffer

def replay(
    keys: bytes,
    key_ends: memoryview,
    values: bytes,
    value_ends: memoryview,
    has_value: Buffer | None,
    first: int,
    groups: dict[str, dict[object, object]],
    names: dict[bytes, tuple[str, str]],
    position: type,
    committed: type,
) -> int: ...
