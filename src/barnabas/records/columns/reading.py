"""Decode fetched batches to Record objects, for callers that read records one by one."""

from array import array
from collections.abc import Sequence

from barnabas.kernels import layout
from barnabas.kernels.batches import record
from barnabas.kernels.messages import message_objects
from barnabas.records.columns.columns import DECOMPRESSED_BYTES_MAX, LARGEST_OFFSET
from barnabas.records.columns.record import Record
from barnabas.records.columns.regions import Regions
from barnabas.types import Buffer


def decode_records(  # noqa: PLR0913 - all but three by name
    buffer: Buffer,
    topic: str,
    partition: int,
    *,
    start: int = 0,
    check_crcs: bool = True,
    aborted: Sequence[tuple[int, int]] = (),
    limit: int | None = None,
) -> tuple[list[Record], int]:
    """Decode the whole batches and messages of a fetch from offset `start` on; return the next offset.

    Decoding stops after `limit` records: the next offset is then that after the last of them, and
    later data is not read. Other arguments and errors as in `decode_columns`.
    """
    regions = Regions(start, LARGEST_OFFSET, DECOMPRESSED_BYTES_MAX)
    regions.add(buffer, check_crcs=check_crcs, aborted=aborted, count=False)
    most = regions.room + 1 if limit is None else limit
    found: list[Record] = []
    state = array("q", bytes(8 * layout.STATE))
    for region in regions.found:
        if len(found) >= most:
            break
        kernel = message_objects if region.messages else record
        result = kernel.decode(
            region.data,
            region.table,
            region.first_row,
            region.end_row,
            regions.start,
            regions.end,
            most,
            topic,
            partition,
            found,
            state,
        )
        if result < 0:
            region.fail(result, state)
    if found and len(found) >= most:
        return found, found[-1].offset + 1
    return found, regions.next_offset
