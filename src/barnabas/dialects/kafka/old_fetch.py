"""Replies to Fetch up to version 3: records in a format that their readers know.

The regions of files are read and converted here, so what a request may read is bounded before (see
`broker/apis/fetch.py`). Source: KIP-31, KIP-32, KIP-74, KIP-98; seed 002 "Fetch API".
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome
from barnabas.dialects.kafka.rules import FETCH_CODES, FETCH_MAGIC, LAST_PARTIAL_FETCH
from barnabas.errors import CorruptRecord, DecodeError, ErrorCode, StorageError
from barnabas.protocol.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from barnabas.records.batches.batch import walk
from barnabas.records.batches.refused import RefusedRecords
from barnabas.records.batches.unpacking import UNPACKED_LEAST
from barnabas.records.codecs.compression import Codec
from barnabas.types import Buffer


def old_fetch_response(fetch: Fetch, outcome: FetchOutcome, version: int) -> FetchResponse:
    """The reply to a fetch without a session, whose order the outcome has."""
    codes = FETCH_CODES[version]
    rows = list(zip(fetch.reads, outcome.fetched, strict=True))
    parts: list[tuple[str, PartitionData]] = []
    conversion = _Conversion(FETCH_MAGIC[version])
    for read, one in rows:
        most = read.max_bytes if version <= LAST_PARTIAL_FETCH else None
        parts.append((one.topic, _partition(one, read.offset, most, conversion, codes)))
    return FetchResponse(
        responses=[
            FetchableTopicResponse(topic=topic, partitions=[part for _, part in group])
            for topic, group in groupby(parts, lambda row: row[0])
        ]
    )


def _partition(
    one: Fetched,
    offset: int,
    most: int | None,
    conversion: "_Conversion",
    codes: Mapping[int, ErrorCode],
) -> PartitionData:
    code = one.error
    records: Buffer = b""
    try:
        records = conversion.records(one, offset)
    except RefusedRecords as refused:
        code = refused.code
    except CorruptRecord as corrupt:
        code = corrupt.code
    except DecodeError:
        code = ErrorCode.CORRUPT_MESSAGE
    except StorageError:
        code = ErrorCode.KAFKA_STORAGE_ERROR
    return PartitionData(
        partition_index=one.partition,
        error_code=codes.get(code, code),
        high_watermark=-1 if code else one.high_watermark,
        records=records if most is None else memoryview(records)[: max(most, 0)],
    )


class _Conversion:
    """What is converted for one request: once much was decompressed, the rest waits for the next."""

    def __init__(self, magic: int) -> None:
        self._magic = magic
        self._left = UNPACKED_LEAST

    def records(self, one: Fetched, offset: int) -> Buffer:
        """What was read, from `offset` on, with nothing of a higher magic."""
        region = one.records
        if region is None or self._left <= 0:
            return b""
        # Imported late: a broker starts faster without it.
        from barnabas.records.old_messages.convert import convert

        made = convert(_before_zstd(region.read()), self._magic, start=offset)
        self._left -= made.unpacked
        return made.data


def _before_zstd(data: Buffer) -> Buffer:
    """All of it, or what is before a batch that no old format can hold, unless that is the first."""
    positions: Sequence[int] = [each.position for each in walk(data) if each.codec == Codec.ZSTD]
    return memoryview(data)[: positions[0]] if positions and positions[0] else data
