"""Recompress a produced batch with its topic's codec.

Source: KIP-390 (levels); Kafka's LogValidator, BrokerCompressionType.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.batches.batch import (
    CRC_FROM,
    HEADER_SIZE,
    PREFIX_SIZE,
    BatchHeader,
    read_header,
)
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import (
    DEFAULT_LEVELS,
    Codec,
    UnpackedTooLarge,
    compress,
    decompress,
)

_CODEC_MASK = 7
_SLOWEST: Mapping[Codec, Sequence[tuple[int, int]]] = {
    Codec.GZIP: ((1 << 20, 9),),
    Codec.LZ4: ((1 << 20, 17),),
    Codec.ZSTD: ((64 << 10, 22), (256 << 10, 15), (1 << 20, 9), (4 << 20, 3)),
}
"""For sizes in bytes, the highest level that takes about 50 ms; larger batches get level 1.

30 MB of text at level 22 of zstd take 39 s and 470 MB, and no other client is served meanwhile.
"""
_LENGTH, _ATTRIBUTES, _CRC = struct.Struct(">i"), struct.Struct(">h"), struct.Struct(">I")
_LENGTH_AT, _CRC_AT, _ATTRIBUTES_AT = 8, 17, 21


_MOST = 16 << 20
"""The most bytes that are recompressed. A larger batch would be in memory three times."""


class StoredCodec(NamedTuple):
    """The compression of batches before they are stored; `level` None is the codec's default."""

    codec: Codec
    level: int | None = None

    def recompress(
        self,
        batch: memoryview,
        header: BatchHeader,
        max_bytes: int,
        unpacking: Unpacking | None = None,
    ) -> tuple[memoryview, BatchHeader]:
        """The batch as it is to be stored. One of the right codec stays as it came, at any level.

        A large one, or one of a request that has had much compressed, gets a lower level, and the largest
        stay as they came.

        Raises:
            RefusedRecords: it cannot be decompressed, or is larger than `max_bytes` afterwards.
        """
        if header.codec == self.codec:
            return batch, header
        packed = batch[HEADER_SIZE:]
        try:
            records = decompress(header.codec, packed, _MOST)
        except UnpackedTooLarge:
            records = None
        except CorruptRecord as error:
            raise RefusedRecords(ErrorCode.INVALID_RECORD, str(error)) from error
        if records is None or len(records) > _MOST:
            self._check_size(len(batch), max_bytes)
            return batch, header
        size = len(records)
        if unpacking is not None:
            unpacking.compressed += size
            size = unpacking.compressed
        body = compress(self.codec, records, self.level_for(size))
        size = HEADER_SIZE + len(body)
        self._check_size(size, max_bytes)
        made = bytearray(size)
        made[:HEADER_SIZE] = batch[:HEADER_SIZE]
        made[HEADER_SIZE:] = body
        _LENGTH.pack_into(made, _LENGTH_AT, size - PREFIX_SIZE)
        attributes = header.attributes & ~_CODEC_MASK | self.codec
        _ATTRIBUTES.pack_into(made, _ATTRIBUTES_AT, attributes)
        _CRC.pack_into(made, _CRC_AT, crc32c(memoryview(made)[CRC_FROM:]))
        return memoryview(made), read_header(made)

    def level_for(self, size: int) -> int | None:
        """The level for so many bytes; None is the codec's default."""
        if self.codec not in _SLOWEST:
            return None
        wanted = DEFAULT_LEVELS[self.codec] if self.level is None else self.level
        highest = next((level for most, level in _SLOWEST[self.codec] if size <= most), 1)
        return min(wanted, highest)

    def _check_size(self, size: int, max_bytes: int) -> None:
        if size > max_bytes:
            words = (
                f"stored as {self.codec.name.lower()} it has {size} bytes, not up to {max_bytes}"
            )
            raise RefusedRecords(ErrorCode.MESSAGE_TOO_LARGE, words)
