"""Batches for tests of the log, made by hand so that nothing under test makes them."""

import struct

from barnabas.records.checksums import crc32c

_HEADER = struct.Struct(">qiibIhiqqqhii")


def make_batch(
    count: int = 1,
    *,
    base_offset: int = 0,
    size: int = 0,
    timestamp: int = 1_000,
    step: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
    attributes: int = 0,
    fill: int = 0x61,
) -> bytearray:
    """A batch of `count` records with values of the byte `fill`; at least `size` bytes if given.

    Record i has the timestamp `timestamp + i * step`.
    """
    each = max((size - 61) // count + 1, 1)
    records = b"".join(_record(i, i * step, bytes([fill]) * each) for i in range(count))
    producer_id, epoch, sequence = producer
    batch = bytearray(
        _HEADER.pack(
            base_offset,
            _HEADER.size - 12 + len(records),
            -1,
            2,
            0,
            attributes,
            count - 1,
            timestamp,
            timestamp + max(0, (count - 1) * step),
            producer_id,
            epoch,
            sequence,
            count,
        )
        + records
    )
    struct.pack_into(">I", batch, 17, crc32c(memoryview(batch)[21:]))
    return batch


def seal(batch: bytearray) -> None:
    """Make the length and the CRC of a batch right."""
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    struct.pack_into(">I", batch, 17, crc32c(memoryview(batch)[21:]))


def make_marker(producer_id: int, epoch: int, *, commit: bool, timestamp: int = 1_000) -> bytearray:
    """A control batch as a transaction coordinator writes it, of coordinator epoch 7."""
    batch = make_batch(1, producer=(producer_id, epoch, -1), attributes=0x30, timestamp=timestamp)
    record = _record(0, 0, struct.pack(">hi", 0, 7), struct.pack(">hh", 0, int(commit)))
    batch[61:] = record
    seal(batch)
    return batch


def _record(
    offset_delta: int, timestamp_delta: int, value: bytes, key: bytes | None = None
) -> bytes:
    body = b"\0" + _varint(timestamp_delta) + _varint(offset_delta)
    body += _varint(-1) if key is None else _varint(len(key)) + key
    body += _varint(len(value)) + value + _varint(0)
    return _varint(len(body)) + body


def _varint(number: int) -> bytes:
    zigzag = (number << 1) ^ (number >> 63)
    out = bytearray()
    while zigzag > 0x7F:
        out.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    out.append(zigzag)
    return bytes(out)
