"""Reading of one partition by hand: one fetch, one answer, records by their offsets."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.records.columns.reading import decode_records
from sim.events import Place
from sim.world.caller import Caller

_MOST_BYTES = 20_000
COMMITTED = 1
"""The isolation level; 0 is the other one."""


class Part(NamedTuple):
    """What was there."""

    error: ErrorCode
    values: Mapping[int, bytes]
    next_offset: int
    end: int
    """Of what the reader may see."""
    high_watermark: int


async def read(
    caller: Caller, place: Place, offset: int, *, wait_ms: int = 0, isolation: int = 0
) -> Part:
    """Records from an offset on.

    Raises:
        Lost: no answer.
    """
    wanted = FetchPartition(
        partition=place[1], fetch_offset=offset, partition_max_bytes=_MOST_BYTES
    )
    request = FetchRequest(
        max_wait_ms=wait_ms,
        min_bytes=1,
        max_bytes=_MOST_BYTES,
        isolation_level=isolation,
        topics=[FetchTopic(topic=place[0], partitions=[wanted])],
    )
    answer = await caller.ask(request, FetchResponse)
    found = answer.responses[0].partitions[0]
    aborted = [(one.producer_id, one.first_offset) for one in found.aborted_transactions or ()]
    data = b"" if found.records is None else found.records
    assert isinstance(data, bytes | memoryview), "decoding gives one view"
    records, after = decode_records(data, *place, start=offset, aborted=aborted)
    values = {one.offset: bytes(one.value or b"") for one in records}
    code = ErrorCode.of(found.error_code)
    end = found.last_stable_offset if isolation == COMMITTED else found.high_watermark
    return Part(code, values, max(after, offset), end, found.high_watermark)
