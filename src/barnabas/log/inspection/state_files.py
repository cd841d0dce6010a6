"""Inspect the small files of a log directory, also damaged ones: rows, faults, positions.

Source: Kafka's TransactionIndex, ProducerStateManager, CheckpointFile, PartitionMetadataFile.
"""

import itertools
import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

from barnabas.errors import LogDirFailed
from barnabas.log.directories.checkpoints import (
    CLEANED_UP_TO,
    HIGH_WATERMARK,
    LOG_START,
    RECOVERY_POINT,
)
from barnabas.log.directories.meta_properties import META_PROPERTIES, parse_meta_properties
from barnabas.log.directories.partition_metadata import parse_topic_id
from barnabas.log.file_names import (
    LEADER_EPOCHS,
    PARTITION_METADATA,
    SNAPSHOT,
    TRANSACTION_INDEX,
    parse_segment_file,
    uuid_text,
)
from barnabas.log.inspection.segments import SegmentFault
from barnabas.log.producers.producer_snapshot import decode_snapshot

CHECKPOINTS = (RECOVERY_POINT, LOG_START, HIGH_WATERMARK, CLEANED_UP_TO)
_ABORTED = struct.Struct(">hqqqq")


class StateRows(NamedTuple):
    """What a small file holds: as many cells in each row as there are columns.

    `doubts`: what may be broken, and may be as it should be.
    """

    columns: tuple[str, ...]
    rows: list[tuple[int | str, ...]]
    faults: list[SegmentFault]
    doubts: tuple[str, ...] = ()


def _producers(data: bytes) -> StateRows:
    columns = (
        *("producer_id", "producer_epoch", "coordinator_epoch", "last_timestamp"),
        *("first_sequence", "last_sequence", "last_offset", "transaction_start"),
    )
    entries = decode_snapshot(data)
    if entries is None:
        text = "no snapshot of version 1: it is cut short, or its CRC is wrong"
        return StateRows(columns, [], [SegmentFault(0, text)])
    rows: list[tuple[int | str, ...]] = [
        (
            entry.producer_id,
            entry.epoch,
            entry.coordinator_epoch,
            entry.last_timestamp,
            entry.last.first_sequence if entry.last else -1,
            entry.last.last_sequence if entry.last else -1,
            entry.last.last_offset if entry.last else -1,
            entry.transaction_start,
        )
        for entry in entries
    ]
    return StateRows(columns, rows, [])


def _aborted(data: bytes) -> StateRows:
    columns = ("producer_id", "first_offset", "last_offset", "last_stable_offset")
    rows: list[tuple[int | str, ...]] = []
    faults = []
    newest = -1
    whole = len(data) // _ABORTED.size * _ABORTED.size
    for at, (version, *entry) in enumerate(_ABORTED.iter_unpack(data[:whole])):
        position = at * _ABORTED.size
        if version:
            faults.append(SegmentFault(position, f"version {version}, where there is 0 only"))
            break
        _, first, last, _ = entry
        if first > last:
            faults.append(SegmentFault(position, f"from {first} to {last}, which is before it"))
        if last <= newest:
            faults.append(SegmentFault(position, f"{last} comes behind {newest}"))
        newest = max(newest, last)
        rows.append(tuple(entry))
    if len(data) > whole:
        left = len(data) - whole
        faults.append(SegmentFault(whole, f"{left} bytes at the end are no whole entry"))
    return StateRows(columns, rows, faults)


def _lines(data: bytes, columns: tuple[str, ...]) -> StateRows:
    """A version, the number of lines, and the lines: numbers, in some files after a topic's name.

    Or nothing at all: Kafka creates these files empty, and writes them when there are entries.
    """
    if not data:
        return StateRows(columns, [], [])
    version, *rest = data.decode("utf-8", "replace").splitlines() or [""]
    if version != "0":
        return StateRows(columns, [], [SegmentFault(0, "no checkpoint of version 0")])
    rows = [_row(line.split(" "), named=columns[0] == "topic") for line in rest[1:]]
    for number, row in enumerate(rows):
        if len(row) != len(columns):
            return StateRows(
                columns, rows[:number], [SegmentFault(0, f"line {number + 3} is no row")]
            )
    if not rest or rest[0] != str(len(rows)):
        declared = rest[0] if rest else "nothing"
        return StateRows(
            columns, rows, [SegmentFault(0, f"{declared} declared, {len(rows)} lines found")]
        )
    if not data.endswith(b"\n"):
        # Its last number may have been longer.
        return StateRows(columns, rows, [SegmentFault(len(data), "the last line has no end")])
    return StateRows(columns, rows, [])


def _row(cells: list[str], *, named: bool) -> tuple[int | str, ...]:
    """The cells as they are meant; none where a number is not one."""
    try:
        return (*cells[:named], *map(int, cells[named:]))
    except ValueError:
        return ()


def examine_epochs(data: bytes, newest: int = -1, *, had_older_format: bool = False) -> StateRows:
    """Check leader epochs; the last batch of the log has `newest`; -1: it has none.

    The epoch of a batch is in the file before the batch is in the log. Earlier batches may have
    higher ones: if epochs restarted, with a new ZooKeeper, Kafka drops those. It creates the file
    empty with the log, and leaves it so while there is no leader, or its messages have magic 0 or 1
    and no epochs.

    `had_older_format`: the log may temporarily have had a message format below 0.11. Kafka then
    deletes the file, and starts an empty one when the format rises again, to which the next append
    adds the epoch. No other file distinguishes that from lost epochs.
    """
    found = _lines(data, ("leader_epoch", "start_offset"))
    numbers = [tuple(map(int, row)) for row in found.rows]
    for before, after in itertools.pairwise(numbers):
        if after[0] <= before[0] or after[1] < before[1]:
            found.faults.append(SegmentFault(0, f"epoch {after[0]} comes behind {before[0]}"))
    if not found.faults and newest > (numbers[-1][0] if numbers else -1):
        known = f"knows epochs up to {numbers[-1][0]}" if numbers else "knows no epoch"
        text = f"it {known}, and the last batch of the log is of epoch {newest}"
        if had_older_format and not numbers:
            sound = (
                "sound if the message format was below 0.11 before, and nothing was appended since"
            )
            return found._replace(doubts=(f"{text}: {sound}",))
        found.faults.append(SegmentFault(len(data), text))
    return found


def _offsets(data: bytes) -> StateRows:
    return _lines(data, ("topic", "partition", "offset"))


def _topic_id(data: bytes) -> StateRows:
    found = parse_topic_id(data)
    columns = ("topic_id",)
    if found is None:
        return StateRows(columns, [], [SegmentFault(0, "no topic id in version 0 of the file")])
    return StateRows(columns, [(uuid_text(found),)], [])


def _owner(data: bytes) -> StateRows:
    columns = ("node_id", "cluster_id", "directory_id")
    try:
        owner = parse_meta_properties(META_PROPERTIES, data)
        return StateRows(columns, [(owner.node_id, owner.cluster_id, owner.directory_id)], [])
    except LogDirFailed as error:
        return StateRows(columns, [], [SegmentFault(0, str(error))])


_BY_NAME: Mapping[str, Callable[[bytes], StateRows]] = {
    LEADER_EPOCHS: examine_epochs,
    PARTITION_METADATA: _topic_id,
    META_PROPERTIES: _owner,
    **dict.fromkeys(CHECKPOINTS, _offsets),
}
_BY_KIND: Mapping[str, Callable[[bytes], StateRows]] = {
    SNAPSHOT: _producers,
    TRANSACTION_INDEX: _aborted,
}


def is_state(name: str) -> bool:
    """Whether a file of this name is one of them."""
    parsed = parse_segment_file(name)
    return name in _BY_NAME or (parsed is not None and parsed[1] in _BY_KIND)


def examine_state(name: str, data: bytes) -> StateRows:
    """What a file of this name holds; `is_state` must be true of it."""
    parsed = parse_segment_file(name)
    return (_BY_NAME[name] if parsed is None else _BY_KIND[parsed[1]])(data)
