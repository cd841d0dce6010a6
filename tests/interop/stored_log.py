"""What a broker really stored: the batch headers in its segment files, read with struct and crc32c.

Nothing of the product is used here, so that it can judge the product and the peers alike.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

from crc32c import crc32c

HEADER = struct.Struct(">qiibIhiqqqhii")
LENGTH_PREFIX = 12


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """The header fields of one magic 2 batch."""

    base_offset: int
    size: int
    magic: int
    crc_is_right: bool
    attributes: int
    max_timestamp: int
    last_offset_delta: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    count: int

    @property
    def codec(self) -> int:
        """0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd."""
        return self.attributes & 7


def stored_batches(data_dir: Path, topic: str, partition: int = 0) -> list[StoredBatch]:
    """All whole batches of the partition, in the order of its files."""
    folder = data_dir / f"{topic}-{partition}"
    return [
        batch
        for segment in sorted(folder.glob("*.log"))
        for batch in _batches_in(segment.read_bytes())
    ]


def _batches_in(content: bytes) -> list[StoredBatch]:
    found = []
    position = 0
    while position + HEADER.size <= len(content):
        (base, length, _epoch, magic, crc, attributes, last, _first_time, max_timestamp,
         producer, epoch, sequence, count) = HEADER.unpack_from(content, position)  # fmt: skip
        size = LENGTH_PREFIX + length
        if length <= 0 or position + size > len(content):
            break  # a preallocated or not yet whole tail
        found.append(
            StoredBatch(
                base,
                size,
                magic,
                crc32c(content[position + 21 : position + size]) == crc,
                attributes,
                max_timestamp,
                last,
                producer,
                epoch,
                sequence,
                count,
            )
        )
        position += size
    return found
