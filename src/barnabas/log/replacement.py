"""Put a compacted segment in the place of others: a crash at any instant leaves one of both.

New files go from `.cleaned` to `.swap`, then the old ones to `.deleted`, then the new ones to their
names. From the moment that all are `.swap` the next start goes on; before it goes back.
Source: Kafka's LocalLog.replaceSegments and LogLoader.removeTempFilesAndCollectSwapFiles.
"""

from collections.abc import Sequence

from barnabas.errors import StorageError
from barnabas.log.file_names import (
    CLEANED,
    DELETED,
    LOG,
    SEGMENT_FILES,
    SNAPSHOT,
    SWAP,
    parse_segment_file,
)
from barnabas.log.partition_log import PartitionLog
from barnabas.log.scan import scan_batches
from barnabas.log.segment import Segment
from barnabas.ports import Disk


def replace_segments(log: PartitionLog, bases: Sequence[int]) -> list[Segment] | None:
    """Put the `.cleaned` segment of the first of `bases` in the place of all of them.

    Returns the old segments for the caller to remove; their files are still there, as they are open
    for who is reading them. None: the log has changed meanwhile, so nothing was done.

    Raises:
        StorageError: the disk fails; the log is offline and the next start puts it right.
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
    """After a crash: put `.swap` segments in place if all their files are there, else go back.

    Takes and returns the names in the directory.
    """
    swapped = {_base_of(name, SWAP) for name in names if name.endswith(SWAP)}
    if not swapped:
        return names
    unfinished = {_base_of(name, CLEANED) for name in names if name.endswith(CLEANED)}
    # A segment is made after those before it are in place, and renamed file by file.
    incomplete = min(unfinished, default=max(swapped) + 1)
    for name in sorted(names):
        if name.endswith(SWAP) and _base_of(name, SWAP) >= incomplete:
            disk.remove(f"{directory}/{name}")
            names.discard(name)
    logs = sorted(name for name in names if name.endswith(LOG + SWAP))
    if logs:
        start = _base_of(logs[0], SWAP)
        end = max(_end_of(disk, f"{directory}/{name}", _base_of(name, SWAP)) for name in logs)
        for name in sorted(names):
            parsed = parse_segment_file(name)
            if parsed and parsed[1] in SEGMENT_FILES and start <= parsed[0] < end:
                disk.remove(f"{directory}/{name}")
                names.discard(name)
    for name in sorted(names):
        if name.endswith(SWAP):
            final = name.removesuffix(SWAP)
            disk.rename(f"{directory}/{name}", f"{directory}/{final}", durable=False)
            names.discard(name)
            names.add(final)
    disk.sync_directory(directory)
    return names


def _base_of(name: str, suffix: str) -> int:
    parsed = parse_segment_file(name.removesuffix(suffix))
    return -1 if parsed is None else parsed[0]


def _end_of(disk: Disk, path: str, base: int) -> int:
    """The offset behind the last batch in a file; behind its base if it holds none."""
    file = disk.open(path)
    end = base + 1
    for found in scan_batches(file, 0, file.size(), check_crcs=False):
        end = found.header.next_offset
    file.close()
    return end
