"""Transaction markers, alone in a control batch. Source: KIP-98; Kafka's EndTransactionMarker."""

import struct
from typing import NamedTuple

from barnabas.records.batch import HEADER_SIZE
from barnabas.types import Buffer

_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1


class Marker(NamedTuple):
    """How a transaction ended, and under which epoch of its coordinator."""

    committed: bool
    coordinator_epoch: int


def read_marker(batch: Buffer) -> Marker | None:
    """The marker in a whole control batch; None if it holds another kind of control record."""
    # Length, attributes, timestamp delta, offset delta, then key and value with their sizes: all
    # but the first number are one byte in every marker that Kafka writes, yet are read as varints.
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
