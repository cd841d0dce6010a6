"""A produced batch in the codec that its topic stores: same records, other compression, new CRC.

Source: KIP-390 (levels); Kafka's LogValidator, BrokerCompressionType.
"""

import struct
from typing import NamedTuple

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.batches.batch import (
    CRC_FROM,
    HEADER_SIZE,
    PREFIX_SIZE,
    BatchHeader,
    read_header,
)
from barnabas.records.batches.refused import RefusedRecords
from barnabas.records.batches.unpacking import unpacked_bytes_max
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec, compress, decompress

_CODEC_MASK = 7
_LENGTH, _ATTRIBUTES, _CRC = struct.Struct(">i"), struct.Struct(">h"), struct.Struct(">I")
_LENGTH_AT, _CRC_AT, _ATTRIBUTES_AT = 8, 17, 21


class StoredCodec(NamedTuple):
    """What batches are compressed with before they are stored; `level` None is the codec's own."""

    codec: Codec
    level: int | None = None

    def recompress(
        self, batch: memoryview, header: BatchHeader, max_bytes: int
    ) -> tuple[memoryview, BatchHeader]:
        """The batch as it is to be stored. One of the right codec stays as it came, at any level.

        Raises:
            RefusedRecords: it cannot be decompressed, or is larger than `max_bytes` afterwards.
        """
        if header.codec == self.codec:
            return batch, header
        try:
            packed = batch[HEADER_SIZE:]
            records = decompress(header.codec, packed, unpacked_bytes_max(len(packed)))
        except CorruptRecord as error:
            raise RefusedRecords(ErrorCode.INVALID_RECORD, str(error)) from error
        body = compress(self.codec, records, self.level)
        size = HEADER_SIZE + len(body)
        if size > max_bytes:
            words = (
                f"stored as {self.codec.name.lower()} it has {size} bytes, not up to {max_bytes}"
            )
            raise RefusedRecords(ErrorCode.MESSAGE_TOO_LARGE, words)
        made = bytearray(size)
        made[:HEADER_SIZE] = batch[:HEADER_SIZE]
        made[HEADER_SIZE:] = body
        _LENGTH.pack_into(made, _LENGTH_AT, size - PREFIX_SIZE)
        attributes = header.attributes & ~_CODEC_MASK | self.codec
        _ATTRIBUTES.pack_into(made, _ATTRIBUTES_AT, attributes)
        _CRC.pack_into(made, _CRC_AT, crc32c(memoryview(made)[CRC_FROM:]))
        return memoryview(made), read_header(made)
