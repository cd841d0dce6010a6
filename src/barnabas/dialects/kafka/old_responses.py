"""Responses as old versions of Produce and Fetch have them: other codes, and records in another format.

The regions of files are read and converted here, so what a request may read is bounded before (see
`broker/apis/fetch.py`). Source: KIP-31, KIP-32, KIP-74, KIP-98, KIP-112; seed 002 "Fetch API".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from barnabas.errors import CorruptRecord, DecodeError, ErrorCode, StorageError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from barnabas.protocol.produce import ProduceResponse
from barnabas.records.batches.batch import walk
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import UNPACKED_LEAST
from barnabas.records.codecs.compression import Codec
from barnabas.types import Buffer
from barnabas.wire.send import FileSlice, HeldRecords

_Old = Callable[..., object]

_KNOWS_STORAGE_ERRORS = {ApiKey.PRODUCE: 4, ApiKey.FETCH: 6}
"""The first version whose clients know KAFKA_STORAGE_ERROR (KIP-112)."""
_MAGIC: Mapping[int, int] = {0: 0, 1: 0, 2: 1, 3: 1}
"""The highest magic that an old Fetch version may be given."""
_RECORD_BYTES = 128
"""What a converted record counts for at least: its columns and its message, until the response is sent."""
_LAST_PARTIAL = 2
"""Up to this version a partition's limit cuts a message; later ones get the first whole (KIP-74)."""


def _produced(_request: object, response: ProduceResponse) -> ProduceResponse:
    for topic in response.responses:
        for one in topic.partition_responses:
            one.error_code = _code_before_kip_112(one.error_code)
    return response


def _fetched(_request: object, response: FetchResponse) -> FetchResponse:
    for topic in response.responses:
        for one in topic.partitions:
            one.error_code = _code_before_kip_112(one.error_code)
    return response


def _code_before_kip_112(code: int) -> int:
    is_storage = code == ErrorCode.KAFKA_STORAGE_ERROR
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if is_storage else code


def _converted(version: int, request: FetchRequest, response: FetchResponse) -> FetchResponse:
    """As a fetch without a session is answered, in whose order the response is."""
    asked = (one for topic in request.topics for one in topic.partitions)
    conversion = _Conversion(_MAGIC[version])

    def converted(partitions: Sequence[PartitionData]) -> Iterator[PartitionData]:
        for one, read in zip(partitions, asked, strict=False):
            most = max(read.partition_max_bytes, 0) if version <= _LAST_PARTIAL else None
            yield _partition(one, read.fetch_offset, most, conversion)

    return FetchResponse(
        throttle_time_ms=response.throttle_time_ms,
        responses=[
            FetchableTopicResponse(topic=topic.topic, partitions=list(converted(topic.partitions)))
            for topic in response.responses
        ],
    )


def _partition(
    one: PartitionData, offset: int, most: int | None, conversion: "_Conversion"
) -> PartitionData:
    code = one.error_code
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
        partition_index=one.partition_index,
        error_code=_code_before_kip_112(code),
        high_watermark=-1 if code else one.high_watermark,
        records=records if most is None else memoryview(records)[:most],
    )


class _Conversion:
    """What is converted for one request: once much was decompressed, the rest waits for the next."""

    def __init__(self, magic: int) -> None:
        self._magic = magic
        self._left = UNPACKED_LEAST

    def records(self, one: PartitionData, offset: int) -> Buffer:
        """What was read, from `offset` on, with nothing of a higher magic."""
        region = one.records
        if not isinstance(region, FileSlice | HeldRecords) or self._left <= 0:
            return b""
        # Imported late: a broker starts faster without it.
        from barnabas.records.old_messages.convert import convert

        made = convert(_before_zstd(region.read()), self._magic, start=offset)
        self._left -= max(made.unpacked, made.count * _RECORD_BYTES)
        return made.data


def _before_zstd(data: Buffer) -> Buffer:
    """All of it, or what is before a batch that no old format can hold, unless that is the first."""
    positions: Sequence[int] = [each.position for each in walk(data) if each.codec >= Codec.ZSTD]
    return memoryview(data)[: positions[0]] if positions and positions[0] else data


OLD_RESPONSES: Mapping[int, _Old] = {
    ApiKey.PRODUCE << 16 | version: _produced
    for version in range(_KNOWS_STORAGE_ERRORS[ApiKey.PRODUCE])
} | {
    ApiKey.FETCH << 16 | version: partial(_converted, version) if version in _MAGIC else _fetched
    for version in range(_KNOWS_STORAGE_ERRORS[ApiKey.FETCH])
}
"""By key << 16 | version: from the message of a request and its response, the response in that version."""
