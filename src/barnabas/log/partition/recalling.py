"""Recall producers' batches before their last one, which is all that a snapshot stores.

A producer may have five batches in flight when the broker stops. After the start it resends those
without a response, first one first: the broker must recognise it as a duplicate. Kafka refuses it
after a restart from a snapshot; the producer then continues with a new epoch and stores it twice.
"""

from barnabas.log.partition.log_state import LogState
from barnabas.log.segments.scan import scan_batches
from barnabas.log.segments.segment import Segment
from barnabas.records.batches.batch import BatchHeader

_LOOKED_BACK = 256 * 1024
"""Bytes before the snapshot that are read for it."""


def recall_batches(log: LogState, offset: int) -> None:
    """Add to the producers of a snapshot at `offset` those of their batches that are near it."""
    if not len(log.producers):
        return
    left = _LOOKED_BACK
    for segment in reversed(list(log.segments)):
        if segment.base_offset >= offset:
            continue
        headers, size = _numbered(segment, offset, left)
        for header in reversed(headers):
            log.producers.recall(header)
        left -= size
        if left <= 0:
            break


def _numbered(segment: Segment, offset: int, size: int) -> tuple[list[BatchHeader], int]:
    """The headers of producers' batches in the last `size` bytes before `offset`, and those bytes."""
    place = segment.find(offset)
    end = segment.written if place is None else place.position
    position = segment.boundary_at(max(end - size, 0)).position if end else 0
    scanned = scan_batches(segment.file, position, end, check_crcs=False)
    headers = [found.header for found in scanned if found.header.producer_id >= 0]
    return headers, end - position
