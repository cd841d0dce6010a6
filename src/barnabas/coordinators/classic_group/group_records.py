"""Classic groups as records of __consumer_offsets.

A key begins with its kind as int16, here 2; a value with its version. Source: Kafka's
GroupMetadataKey.json, GroupMetadataValue.json, GroupCoordinatorRecordHelpers.
"""

import struct

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import DecodeError
from barnabas.protocol.internal.group_metadata_record import GroupMetadataKey, GroupMetadataValue
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec

_KIND = 2
_VERSION = 3
"""What Kafka 2.3 to 4.3 writes."""
_NEWEST = 4
_SHORT = struct.Struct(">h")


def encode_group(group_id: str, value: GroupMetadataValue) -> CoordinatorRecord:
    """The record of a group as it is after a rebalance."""
    data = _SHORT.pack(_VERSION) + Codec.of(GroupMetadataValue, _VERSION).encode(value)
    return CoordinatorRecord(_encode_key(group_id), data)


def encode_end(group_id: str) -> CoordinatorRecord:
    """The record that deletes a group."""
    return CoordinatorRecord(_encode_key(group_id), None)


def _encode_key(group_id: str) -> bytes:
    return _SHORT.pack(_KIND) + Codec.of(GroupMetadataKey, 0).encode(
        GroupMetadataKey(group=group_id)
    )


def decode_group_key(key: Buffer) -> str | None:
    """The id of the group of a record; None for a record of another kind.

    Raises:
        DecodeError: it is the key of a group, and damaged.
    """
    if len(key) < _SHORT.size:
        raise DecodeError("key", 0, "its kind as int16")
    if _SHORT.unpack_from(key)[0] != _KIND:
        return None
    return Codec.of(GroupMetadataKey, 0).decode(key, _SHORT.size)[0].group


def decode_group(value: Buffer) -> GroupMetadataValue:
    """The group in a record's value, of version 0 to 4.

    Raises:
        DecodeError: it is damaged or of a newer version.
    """
    if len(value) < _SHORT.size:
        raise DecodeError("value", 0, "its version as int16")
    (layout,) = _SHORT.unpack_from(value)
    if not 0 <= layout <= _NEWEST:
        raise DecodeError("value.version", 0, f"0 to {_NEWEST}, not {layout}")
    return Codec.of(GroupMetadataValue, layout).decode(value, _SHORT.size)[0]
