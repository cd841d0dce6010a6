"""Transaction markers, alone in a control batch. Source: KIP-98; Kafka's EndTransactionMarker."""

import struct
from typing import NamedTuple

from barnabas.records.batches.batch import CONTROL, HEADER_SIZE, TRANSACTIONAL
from barnabas.records.batches.builder import finish
from barnabas.types import Buffer, new_tuple

_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1
_RECORD = struct.Struct(">bbbbbhhbhib")
_NO_SEQUENCE = -1


class Marker(NamedTuple):
    """How a transaction ended, and under which epoch of its coordinator."""

    committed: bool
    coordinator_epoch: int


def encode_marker(marker: Marker, producer_id: int, producer_epoch: int, now_ms: int) -> bytearray:
    """The control batch, with offset 0, that ends a producer's transaction."""
    batch = bytearray(HEADER_SIZE + _RECORD.size)
    # Varints of one byte: 16 bytes of record, no deltas, 4 of key, 6 of value, no headers.
    kind = _COMMIT if marker.committed else _ABORT
    value = (0, marker.coordinator_epoch)
    record = (2 * (_RECORD.size - 1), 0, 0, 0, 2 * _KEY.size, 0, kind, 2 * _VALUE.size, *value, 0)
    _RECORD.pack_into(batch, HEADER_SIZE, *record)
    producer = (producer_id, producer_epoch, _NO_SEQUENCE)
    finish(batch, CONTROL | TRANSACTIONAL, 1, (now_ms, now_ms), producer)
    return batch


def read_marker(batch: Buffer) -> Marker | None:
    """The marker in a whole control batch; None if it holds another kind of control record."""
    # Length, attributes, timestamp delta, offset delta, then key and value with their sizes: all
    # of these are one byte in every marker that Kafka writes, yet are varints, which may be longer.
    if len(batch) >= HEADER_SIZE + _RECORD.size:
        length, _, time, offset, key, _, kind, value, _, coordinator_epoch, _ = _RECORD.unpack_from(
            batch, HEADER_SIZE
        )
        if kind in (_ABORT, _COMMIT) and min(length, time, offset, key, value) >= 0:
            return new_tuple(Marker, (kind == _COMMIT, coordinator_epoch))
    position = _skip_varint(batch, HEADER_SIZE) + 1
    for _ in range(2):
        position = _skip_varint(batch, position)
    position = _skip_varint(batch, position)
    if position + _KEY.size > len(batch):
        return None
    _version, kind = _KEY.unpack_from(batch, position)
    position = _skip_varint(batch, position + _KEY.size)
    if kind not in (_ABORT, _COMMIT) or position + _VALUE.size > len(batch):
        return None
    _version, coordinator_epoch = _VALUE.unpack_from(batch, position)
    return Marker(kind == _COMMIT, coordinator_epoch)


def _skip_varint(buffer: Buffer, position: int) -> int:
    while position < len(buffer) and buffer[position] & 0x80:
        position += 1
    return position + 1
