"""The errors of a log's files: segments, their indexes, the small files beside them, what is lost."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from barnabas.cli.log.segment_files import (
    OLD_KINDS,
    InspectedFile,
    bytes_of,
    indexes_alone,
)
from barnabas.cli.log.state_files import examine_file, state_files
from barnabas.log.directories.checkpoints import may_be_compacted
from barnabas.log.file_names import INDEX, LOG, TIME_INDEX, parse_partition_directory
from barnabas.log.inspection.segments import (
    InspectedBatch,
    InspectedEntry,
    SegmentFault,
    examine,
    examine_offset_index,
    examine_time_index,
)
from barnabas.log.inspection.segments07 import examine_messages
from barnabas.runtime.files.read_only import ReadOnlyDisk

Fault = tuple[Path, SegmentFault]
"""A file, and what is wrong in it."""

_SEGMENT_LOST = SegmentFault(0, "the segment that this is the index of is lost")


class _Extent(NamedTuple):
    """The offsets of a segment with whole batches: its first one, and the one after its last."""

    path: Path
    base_offset: int
    end: int


@dataclass
class Totals:
    """The numbers of checked items; `bytes` are those of segments."""

    segments: int = 0
    batches: int = 0
    records: int = 0
    bytes: int = 0
    faults: int = 0


@dataclass
class _Seen:
    """Of each partition: its segments, and the leader epoch of its last whole batch."""

    extents: dict[Path, list[_Extent]] = field(default_factory=dict)
    epochs: dict[Path, int] = field(default_factory=dict)


def faults(
    paths: Sequence[str],
    files: Sequence[InspectedFile],
    totals: Totals,
    advance: Callable[[int], object],
) -> Iterator[Fault]:
    """Yield every error below the paths, of which `files` are the segments; add up what was looked at.

    Doubts, which may be no errors, are printed to stderr. `advance` gets numbers of bytes.

    Raises:
        ConfigError: a file cannot be read.
    """
    for found in _all_faults(paths, files, totals, advance):
        totals.faults += 1
        yield found


def _all_faults(
    paths: Sequence[str],
    files: Sequence[InspectedFile],
    totals: Totals,
    advance: Callable[[int], object],
) -> Iterator[Fault]:
    seen = _Seen()
    for file in files:
        look = _faults07 if file.kind in OLD_KINDS else _faults_of
        yield from look(file, totals, seen, advance)
    yield from ((path, _SEGMENT_LOST) for path in indexes_alone(paths))
    for folder, extents in seen.extents.items():
        yield from _gaps(folder, extents)
    for path in state_files(paths):
        yield from _faults_beside(path, seen.epochs.get(path.parent, -1))


def _gaps(folder: Path, extents: Sequence[_Extent]) -> Iterator[Fault]:
    """Segments of a partition that are lost with their indexes; a doubt if compaction explains them."""
    gaps = [(one, then) for one, then in pairwise(extents) if one.end < then.base_offset]
    partition = parse_partition_directory(folder.name)
    if not gaps or partition is None:
        return
    compacted: bool | None = False
    if extents[0].path.suffix not in OLD_KINDS:
        compacted = may_be_compacted(ReadOnlyDisk(), str(folder.parent), partition)
    for one, then in gaps:
        text = f"offsets {one.end} to {then.base_offset - 1} are not there"
        if compacted is None:
            _doubt(
                one.path, f"{text}: they were compacted away, or a segment is lost behind this one"
            )
        elif not compacted:
            where = one.path.stat().st_size
            yield one.path, SegmentFault(where, f"{text}: a segment is lost behind this one")


def _faults_of(
    file: InspectedFile, totals: Totals, seen: _Seen, advance: Callable[[int], object]
) -> Iterator[Fault]:
    """The errors of a segment and its indexes."""
    batches: list[InspectedBatch] = []
    is_whole = True
    path = file.beside(LOG)
    with bytes_of(path) as data:
        totals.segments += 1
        totals.bytes += len(data)
        for found in examine(data, file.base_offset):
            if isinstance(found, SegmentFault):
                is_whole = False
                yield path, found
                continue
            batches.append(found)
            advance(found.header.end - found.header.position)
            totals.batches += 1
            totals.records += found.records
            for text in found.faults:
                where = f"batch of offset {found.header.base_offset}: "
                yield path, SegmentFault(found.header.position, where + text)
    if whole := [found.header for found in batches if not found.faults]:
        seen.epochs[path.parent] = whole[-1].leader_epoch
    if is_whole:
        end = batches[-1].header.next_offset if batches else file.base_offset
        _add(seen, _Extent(path, file.base_offset, end))
    for kind in (INDEX, TIME_INDEX):
        path = file.beside(kind)
        for entry in examine_index(path, file, kind, batches):
            if isinstance(entry, SegmentFault):
                yield path, entry
            elif entry.fault:
                text = f"entry ({entry.offset}, {entry.value}): {entry.fault}"
                yield path, SegmentFault(entry.position, text)


def _faults07(
    file: InspectedFile, totals: Totals, seen: _Seen, advance: Callable[[int], object]
) -> Iterator[Fault]:
    """The first error of a segment of Kafka 0.7, which has no batches and no indexes of its own."""
    with bytes_of(file.path) as data:
        totals.segments += 1
        totals.bytes += len(data)
        for found in examine_messages(data):
            if isinstance(found, SegmentFault):
                yield file.path, found
            else:
                totals.records += found
        advance(len(data))
        _add(seen, _Extent(file.path, file.base_offset, file.base_offset + len(data)))


def _add(seen: _Seen, extent: _Extent) -> None:
    seen.extents.setdefault(extent.path.parent, []).append(extent)


def _faults_beside(path: Path, newest_epoch: int) -> Iterator[Fault]:
    """The errors of a small file; doubts are only printed."""
    found = examine_file(path, newest_epoch)
    for text in found.doubts:
        _doubt(path, text)
    for fault in found.faults:
        yield path, fault


def _doubt(path: Path, text: str) -> None:
    print(f"barnabas: {path}: {text}", file=sys.stderr)


def examine_index(
    path: Path, file: InspectedFile, kind: str, batches: list[InspectedBatch]
) -> list[InspectedEntry | SegmentFault]:
    """The entries of an offset or time index (`kind`) of a segment with these batches."""
    look = examine_offset_index if kind == INDEX else examine_time_index
    with bytes_of(path) as data:
        return list(look(data, file.base_offset, batches))
