"""The .snapshot file: a partition's producers before an offset.

Source: Kafka's ProducerSnapshot.json and ProducerStateManager: version int16 (1), CRC-32C uint32 of
what follows, count int32, then 46 bytes per producer. Only the last batch of each is kept.
"""

import struct
from collections.abc import Iterable

from barnabas.log.file_names import SNAPSHOT, segment_name
from barnabas.log.producers.producer_state import ProducerEntry, ProducerState
from barnabas.ports import Disk
from barnabas.records.checksums import crc32c

_VERSION = 1
_HEAD = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
_ENTRY = struct.Struct(">qhiqiqiq")
_SEQUENCES = 0x7FFFFFFF


def encode_snapshot(entries: Iterable[ProducerEntry]) -> bytes:
    """The bytes of a snapshot file.

    A roll makes them between two requests, of up to 20,000 producers: about a microsecond each.
    """
    body = bytearray(_COUNT.size)
    pack, none = _ENTRY.pack, (-1, -1, -1, 0, -1)
    count = 0
    for entry in entries:
        batches = entry.batches
        # As `entry.last`, whose objects take several times as long.
        _, last_sequence, last_offset, delta, _ = batches[-1] if batches else none
        body += pack(
            entry.producer_id,
            entry.epoch,
            last_sequence,
            last_offset,
            delta,
            entry.last_timestamp,
            entry.coordinator_epoch,
            entry.transaction_start,
        )
        count += 1
    _COUNT.pack_into(body, 0, count)
    return _HEAD.pack(_VERSION, crc32c(body)) + body


def write_snapshot(disk: Disk, directory: str, offset: int, producers: ProducerState) -> str:
    """Write the snapshot of the producers before `offset`; gives its path. No sync.

    Raises:
        StorageError: it cannot be written.
    """
    path = f"{directory}/{segment_name(offset)}{SNAPSHOT}"
    disk.write_file(path, encode_snapshot(producers.entries()))
    return path


def decode_snapshot(data: bytes) -> list[ProducerEntry] | None:
    """The producers of a snapshot file; None if it is torn, wrong or of another version."""
    if len(data) < _HEAD.size + _COUNT.size:
        return None
    version, crc = _HEAD.unpack_from(data)
    (count,) = _COUNT.unpack_from(data, _HEAD.size)
    body = memoryview(data)[_HEAD.size :]
    if version != _VERSION or crc32c(body) != crc:
        return None
    if len(body) != _COUNT.size + count * _ENTRY.size:
        return None
    return [_decode_entry(fields) for fields in _ENTRY.iter_unpack(body[_COUNT.size :])]


def _decode_entry(fields: tuple[int, ...]) -> ProducerEntry:
    producer_id, epoch, last_sequence, last_offset, delta, timestamp, coordinator, start = fields
    entry = ProducerEntry(producer_id)
    entry.epoch = epoch
    if last_offset >= 0:
        entry.add(epoch, (last_sequence - delta) & _SEQUENCES, last_offset, delta, timestamp)
    entry.last_timestamp = timestamp
    entry.coordinator_epoch = coordinator
    entry.transaction_start = start
    return entry
