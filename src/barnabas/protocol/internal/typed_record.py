"""Records that have no key, and a value that says of which type and version it is.

The value begins with three unsigned varints: 1 for this layout, the type, the version (KIP-631).
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import DecodeError
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of
from barnabas.wire.tagged import MalformedField, read_varint


class Typed(NamedTuple):
    """A message of one of the declared types, and the version that it is written in."""

    message: object
    version: int


def read_typed(types: Mapping[int, type], value: Buffer) -> Typed | None:
    """What a value says; None where its type or version is not known.

    Raises:
        DecodeError: it is no such value, or damaged.
    """
    numbers, position = [], 0
    try:
        for _ in range(3):
            number, position = read_varint(value, position)
            numbers.append(number)
    except (MalformedField, IndexError) as error:
        raise DecodeError("value", position, "three unsigned varints") from error
    layout, kind, version = numbers
    if layout != 1 or kind not in types or version not in declaration_of(types[kind]).versions:
        return None
    codec: Codec[object] = Codec.of(types[kind], version)
    message, _ = codec.decode(value, position)
    return Typed(message, version)
