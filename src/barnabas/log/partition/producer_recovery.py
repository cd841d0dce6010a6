"""Rebuild the producers of a log from the newest valid snapshot and the batches after it.

The same replay finds aborted transactions that their index has lost.
"""

import contextlib
import logging
from collections.abc import Iterator, Sequence

from barnabas.errors import StorageError
from barnabas.log.file_names import SNAPSHOT, parse_segment_file, segment_name
from barnabas.log.partition.log_state import LogState
from barnabas.log.partition.recalling import recall_batches
from barnabas.log.producers.producer_snapshot import decode_snapshot
from barnabas.log.producers.producer_state import ProducerEntry, ProducerState
from barnabas.log.segments.segment import Segment
from barnabas.records.aborted_transaction import AbortedTransaction

_log = logging.getLogger(__name__)


def restore_producers(log: LogState, rebuilt: int | None = None) -> None:
    """Know the producers again.

    From `rebuilt` on segments have lost what they knew of aborted transactions: they get it again.
    Snapshots that would mislead the next start are removed.
    """
    if log.config.byte_positions:
        return  # Its messages have none.
    known = log.segments.first.base_offset
    sure = log.end_offset if rebuilt is None else rebuilt
    log.producers.clear()
    for offset in _snapshots(log):
        # A later one knows of batches that recovery has undone or not found.
        entries = _entries_at(log, offset) if offset <= sure else None
        if entries is None:
            with contextlib.suppress(StorageError):
                log.disk.remove(_path(log, offset))
            continue
        log.producers.restore(entries)
        recall_batches(log, offset)
        known = max(offset, known)
        break
    log.snapshot_offset = known
    for segment, aborted in _replay(log, log.producers, known, log.end_offset):
        if aborted.last_offset >= sure:
            segment.aborted.append(aborted)
    for segment in log.segments.from_offset(sure):
        segment.flush_aborted()


def rebuild_aborted(log: LogState, segment: Segment, fault: str) -> None:
    """Make the index of aborted transactions of a segment again, as it has a fault.

    Raises:
        StorageError: a segment cannot be read.
    """
    producers = ProducerState()
    known = log.segments.first.base_offset
    for offset in _snapshots(log):
        entries = _entries_at(log, offset) if offset <= segment.base_offset else None
        if entries is not None:
            producers.restore(entries)
            known = max(offset, known)
            break
    following = log.segments.from_offset(segment.base_offset)[1:2]
    end = following[0].base_offset if following else log.file_end
    found = [each for one, each in _replay(log, producers, known, end) if one is segment]
    path = segment.aborted.path
    _log.warning("index made again from its segment", extra={"file": path, "why": fault})
    segment.aborted.replace(found, end)
    with contextlib.suppress(StorageError):
        # A disk that takes nothing now is tried again by the next flush. Half of this file would be
        # sound: it must not be left by a power cut.
        segment.flush_aborted()
        if segment.aborted.file is not None:
            segment.aborted.file.sync()
        log.disk.sync_directory(log.directory)


def _snapshots(log: LogState) -> list[int]:
    """The offsets that there are snapshots of, the newest first."""
    parsed = map(parse_segment_file, log.disk.list(log.directory))
    return sorted((one[0] for one in parsed if one and one[1] == SNAPSHOT), reverse=True)


def _entries_at(log: LogState, offset: int) -> list[ProducerEntry] | None:
    """The producers of a snapshot; None if the file is invalid, which is reported."""
    path = _path(log, offset)
    entries, fault = None, "it is cut short, or its CRC is wrong"
    try:
        entries = decode_snapshot(log.disk.read_file(path))
    except StorageError as error:
        fault = str(error)
    if entries is not None:
        fault = _beyond(entries, offset)
        if not fault:
            return entries
    _log.warning("snapshot of producers not used", extra={"file": path, "why": fault})
    return None


def _beyond(entries: Sequence[ProducerEntry], offset: int) -> str:
    """What a snapshot knows that was not there before its offset; empty: nothing."""
    for entry in entries:
        newest = max(entry.last.last_offset if entry.last else -1, entry.transaction_start)
        if newest >= offset:
            return f"it is of offset {offset}, and knows {newest} of producer {entry.producer_id}"
    return ""


def _path(log: LogState, offset: int) -> str:
    return f"{log.directory}/{segment_name(offset)}{SNAPSHOT}"


def _replay(
    log: LogState, producers: ProducerState, offset: int, end: int
) -> Iterator[tuple[Segment, AbortedTransaction]]:
    """Apply the batches from `offset` to `end` to the producers; return the aborted transactions."""
    if offset >= end:
        return
    for segment in log.segments.from_offset(offset):
        if segment.base_offset >= end:
            return
        first = segment.find(offset)
        if first is None:
            continue
        for header, data in segment.scan(first.position, check_crcs=False):
            if header.producer_id >= 0:
                aborted = producers.add(header, data, header.base_offset, header.max_timestamp)
                if aborted is not None:
                    yield segment, aborted
