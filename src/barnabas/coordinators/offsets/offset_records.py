"""Committed offsets as records of __consumer_offsets.

A key begins with its kind as int16: 0 and 1 are offsets; records of other kinds define groups.
Source: Kafka's OffsetCommitKey.json, OffsetCommitValue.json, GroupCoordinatorRecordHelpers.
"""

import struct
from typing import NamedTuple

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import DecodeError
from barnabas.kernels.wire.committed_offsets import key_of, record_of
from barnabas.protocol.internal.offset_commit_record import OffsetCommitKey, OffsetCommitValue
from barnabas.types import Buffer, TopicPartition
from barnabas.wire.compiler import Codec

_OFFSET_KINDS = (0, 1)
_KEY_KIND = 1
_VALUE_VERSION = 4
_VALUE_VERSION_WITH_EXPIRY = 1
_NEWEST_VALUE = 4
_SHORT = struct.Struct(">h")

NO_EXPIRY = -1


class OffsetAndMetadata(NamedTuple):
    """A committed offset. Times in milliseconds."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp: int
    expire_timestamp: int = NO_EXPIRY
    topic_id: bytes = bytes(16)


def encode_commit(
    group_id: str, position: TopicPartition, committed: OffsetAndMetadata
) -> CoordinatorRecord:
    """The record of a commit. Only value version 1 has a field for an expiry of its own."""
    record = record_of(group_id, position, committed, CoordinatorRecord)
    if record is not None:
        return record
    expires = committed.expire_timestamp != NO_EXPIRY
    version = _VALUE_VERSION_WITH_EXPIRY if expires else _VALUE_VERSION
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp,
        expire_timestamp=committed.expire_timestamp,
        topic_id=committed.topic_id,
    )
    data = _SHORT.pack(version) + Codec.of(OffsetCommitValue, version).encode(value)
    return CoordinatorRecord(_encode_key(group_id, position), data)


def encode_removal(group_id: str, position: TopicPartition) -> CoordinatorRecord:
    """The record that deletes a group's offset of a partition."""
    return CoordinatorRecord(_encode_key(group_id, position), None)


def _encode_key(group_id: str, position: TopicPartition) -> bytes:
    encoded = key_of(group_id, *position)
    if encoded is not None:
        return encoded
    key = OffsetCommitKey(group=group_id, topic=position.topic, partition=position.partition)
    return _SHORT.pack(_KEY_KIND) + Codec.of(OffsetCommitKey, 0).encode(key)


def decode_key(key: Buffer) -> tuple[str, TopicPartition] | None:
    """Group and partition of a record's key; None for a record of another kind.

    Raises:
        DecodeError: the key of an offset is damaged.
    """
    if len(key) < _SHORT.size:
        raise DecodeError("key", 0, "its kind as int16")
    (kind,) = _SHORT.unpack_from(key)
    if kind not in _OFFSET_KINDS:
        return None
    decoded, _ = Codec.of(OffsetCommitKey, 0).decode(key, _SHORT.size)
    return decoded.group, TopicPartition(decoded.topic, decoded.partition)


def decode_value(value: Buffer) -> OffsetAndMetadata:
    """Decode a committed offset, in any version of the value.

    Raises:
        DecodeError: it is damaged, or of a later version.
    """
    if len(value) < _SHORT.size:
        raise DecodeError("value", 0, "its version as int16")
    (layout,) = _SHORT.unpack_from(value)
    if not 0 <= layout <= _NEWEST_VALUE:
        raise DecodeError("value.version", 0, f"0 to {_NEWEST_VALUE}, not {layout}")
    decoded, _ = Codec.of(OffsetCommitValue, layout).decode(value, _SHORT.size)
    return OffsetAndMetadata(
        decoded.offset,
        decoded.leader_epoch,
        decoded.metadata,
        decoded.commit_timestamp,
        decoded.expire_timestamp,
        bytes(decoded.topic_id),
    )
