"""Replace segments by a compacted one: a crash at any time leaves either state.

New files are renamed from `.cleaned` to `.swap`, then the old ones to `.deleted`, then the new ones
to their names. Once all are `.swap`, the next start completes it; before, it reverts it. Source:
Kafka's LocalLog.replaceSegments and LogLoader.removeTempFilesAndCollectSwapFiles.
"""

from collections.abc import Callable, Sequence

from barnabas.errors import StorageError
from barnabas.log.file_names import (
    CLEANED,
    DELETED,
    LOG,
    SEGMENT_FILES,
    SNAPSHOT,
    SWAP,
    parse_segment_file,
    segment_name,
)
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.scan import scan_batches
from barnabas.log.segments.segment import Segment
from barnabas.ports import Disk


def replace_segments(log: PartitionLog, bases: Sequence[int]) -> list[Segment] | None:
    """Replace all segments of `bases` by the `.cleaned` segment of the first.

    Returns the old segments for the caller to remove; their files still exist, because readers have
    them open. None: the log has changed meanwhile, so nothing was done.

    Raises:
        StorageError: the disk fails; the log is offline and the next start repairs it.
    """
    first = log.segments.number_of(bases[0])
    old = list(log.segments)[first : first + len(bases)]
    if [each.base_offset for each in old] != list(bases) or old[-1] is log.segments.active:
        return None
    stem = old[0].stem
    new = [kind for kind in SEGMENT_FILES if log.disk.exists(stem + kind + CLEANED)]
    try:
        for kind in new:
            log.disk.rename(stem + kind + CLEANED, stem + kind + SWAP, durable=False)
        for segment in old:
            segment.rename_to(DELETED)
        for kind in new:
            log.disk.rename(stem + kind + SWAP, stem + kind, durable=False)
        for segment in old[1:]:
            log.disk.remove(segment.stem + SNAPSHOT)
        segment = Segment(log.disk, log.directory, bases[0], log.config)
    except StorageError as error:
        log.fail(error)
        raise
    log.segments.replace(first, len(bases), segment)
    log.forget_places()
    return old


def discard_cleaned(disk: Disk, directory: str) -> None:
    """Remove what a round has left that was not put in place."""
    for name in disk.list(directory):
        if name.endswith(CLEANED):
            disk.remove(f"{directory}/{name}")


def finish_replacement(disk: Disk, directory: str, names: set[str]) -> set[str]:
    """After a crash: install `.swap` segments if all their files exist, otherwise revert.

    It also reverts if one does not contain whole batches up to its end, while its originals exist.
    Takes and returns the names in the directory.
    """
    swapped = {_base_of(name, SWAP) for name in names if name.endswith(SWAP)}
    if not swapped:
        return names
    unfinished = {_base_of(name, CLEANED) for name in names if name.endswith(CLEANED)}
    # A segment is made after those before it are in place, and renamed file by file.
    incomplete = min(unfinished, default=max(swapped) + 1)
    ends = {
        base: _end_of(disk, f"{directory}/{segment_name(base)}{LOG}{SWAP}", base)
        for base in sorted(swapped)
        if base < incomplete and segment_name(base) + LOG + SWAP in names
    }
    broken = [base for base, end in ends.items() if end < 0 and _is_replaced(names, base)]
    incomplete = min([incomplete, *broken])
    _remove(disk, directory, names, lambda base: base >= incomplete, SWAP)
    if incomplete in broken:
        _bring_back(disk, directory, names, incomplete)
    kept = {base: max(end, base + 1) for base, end in ends.items() if base < incomplete}
    if kept:
        start, end = min(kept), max(kept.values())
        for name in sorted(names):
            parsed = parse_segment_file(name)
            if parsed and parsed[1] in SEGMENT_FILES and start <= parsed[0] < end:
                # As in `replace_segments`: removed segments are known by name.
                _rename(disk, directory, names, name, name + DELETED)
    for name in sorted(names):
        if name.endswith(SWAP):
            _rename(disk, directory, names, name, name.removesuffix(SWAP))
    disk.sync_directory(directory)
    return names


def _is_replaced(names: set[str], base: int) -> bool:
    """Whether the segment that begins with `base` is there that a new one is to replace."""
    name = segment_name(base) + LOG
    return name in names or name + DELETED in names


def _remove(
    disk: Disk, directory: str, names: set[str], is_doomed: Callable[[int], bool], suffix: str = ""
) -> None:
    """Remove the files of segments, with a suffix after their names, by base offsets."""
    for name in sorted(names):
        parsed = parse_segment_file(name.removesuffix(suffix)) if name.endswith(suffix) else None
        if parsed and parsed[1] in SEGMENT_FILES and is_doomed(parsed[0]):
            disk.remove(f"{directory}/{name}")
            names.discard(name)


def _bring_back(disk: Disk, directory: str, names: set[str], base: int) -> None:
    """Undo the renaming of the segments that one was to replace, up to the next that is in its place.

    Those of an earlier round may be there, too: what the segments before them hold.
    """
    logs = [parse_segment_file(name) for name in names]
    following = [one[0] for one in logs if one and one[0] >= base and one[1] == LOG]
    renamed = sorted(one[0] for one in logs if one and one[1] == LOG + DELETED)
    end = base
    for number in renamed:
        if not end <= number < min(following, default=number + 1):
            continue
        for kind in SEGMENT_FILES:
            name = segment_name(number) + kind
            if name + DELETED in names:
                _rename(disk, directory, names, name + DELETED, name)
        end = _end_of(disk, f"{directory}/{segment_name(number)}{LOG}", number)
        end = max(end, number + 1)


def _rename(disk: Disk, directory: str, names: set[str], name: str, final: str) -> None:
    disk.rename(f"{directory}/{name}", f"{directory}/{final}", durable=False)
    names.discard(name)
    names.add(final)


def _base_of(name: str, suffix: str) -> int:
    parsed = parse_segment_file(name.removesuffix(suffix))
    return -1 if parsed is None else parsed[0]


def _end_of(disk: Disk, path: str, base: int) -> int:
    """The offset after the last batch in a file; -1 if it is empty, or ends with something else."""
    file = disk.open(path)
    position, end = 0, base
    for found in scan_batches(file, 0, file.size()):
        position, end = found.header.end, found.header.next_offset
    size = file.size()
    file.close()
    return end if 0 < position == size else -1
