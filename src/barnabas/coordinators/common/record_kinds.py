"""The kinds of records in an internal topic.

A key begins with its kind as int16, a value with the version of its layout, so far always 0. Source:
Kafka's CoordinatorRecordSerde.
"""

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import DecodeError
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec

_SHORT = struct.Struct(">h")
_VERSION = 0


class Layouts(NamedTuple):
    """The classes of a kind's key and value."""

    key: type
    value: type


class DecodedRecord(NamedTuple):
    """A decoded record: its kind, and instances of the kind's layouts.

    No value means that the key's object is deleted.
    """

    kind: int
    key: Any
    value: Any | None


def encode_record(kind: int, key: object, value: object | None) -> CoordinatorRecord:
    """Encode a record of a kind; no value deletes the key's object."""
    data = _SHORT.pack(kind) + Codec.of(type(key), _VERSION).encode(key)
    if value is None:
        return CoordinatorRecord(data, None)
    return CoordinatorRecord(
        data, _SHORT.pack(_VERSION) + Codec.of(type(value), _VERSION).encode(value)
    )


def read_record(
    key: Buffer | None, value: Buffer | None, kinds: Mapping[int, Layouts]
) -> DecodedRecord | None:
    """Read one record; None if it is of none of these kinds.

    Raises:
        DecodeError: it is damaged, or of a later version.
    """
    if key is None or len(key) < _SHORT.size:
        return None
    kind: int = _SHORT.unpack_from(key)[0]
    if kind not in kinds:
        return None
    layouts = kinds[kind]
    of: Any = Codec.of(layouts.key, _VERSION).decode(key, _SHORT.size)[0]
    if value is None:
        return DecodedRecord(kind, of, None)
    if len(value) < _SHORT.size or _SHORT.unpack_from(value)[0] != _VERSION:
        raise DecodeError("value.version", 0, f"version {_VERSION}")
    return DecodedRecord(kind, of, Codec.of(layouts.value, _VERSION).decode(value, _SHORT.size)[0])
