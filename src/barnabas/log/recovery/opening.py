"""Open a partition's log from its directory; after an unclean stop, recover it first.

A clean-shutdown marker says nothing about a truncated copy: if the last segment does not end with a
batch, or before the recovery point, the log is recovered nevertheless.

Recovery (`recovery`) reads everything after the recovery point; leader epochs and producers follow
from the batches. Source: Kafka's LogLoader.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from barnabas.errors import DamagedFile, DiskFull, LogDirFailed, SegmentsMissing, StorageError
from barnabas.log.cleaning.replacement import finish_replacement
from barnabas.log.directories.checkpoints import NO_CHECKPOINT, Checkpoint
from barnabas.log.directories.partition_metadata import encode_topic_id, parse_topic_id
from barnabas.log.file_names import (
    CLEANED,
    DELETED,
    LEADER_EPOCHS,
    LOG,
    OLD_LOG,
    PARTITION_METADATA,
    SEGMENT_FILES,
    TRANSACTION_INDEX,
    parse_segment_file,
    segment_name,
)
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.producer_recovery import rebuild_aborted, restore_producers
from barnabas.log.recovery.bounds import find_bounds
from barnabas.log.recovery.epoch_recovery import check_epochs, rebuild_epochs
from barnabas.log.recovery.known_segments import (
    check_names,
    check_sizes,
    expect_aborted,
    known_of,
)
from barnabas.log.segments.log_config import MAGIC_07, TODAYS_MAGIC, LogConfig
from barnabas.log.segments.old_names import without_old_names
from barnabas.log.segments.segment import Segment, new_segment
from barnabas.log.segments.segments import Segments
from barnabas.ports import Disk
from barnabas.types import TopicPartition


class LogOrigin(NamedTuple):
    """Where a new log begins: leader epoch and offset.

    `on_named` is called when its names are on stable storage, on a disk that has a loop.
    """

    epoch: int
    offset: int
    on_named: Callable[[], None] | None = None


BEGINNING = LogOrigin(0, 0)


def open_log(
    disk: Disk,
    partition: TopicPartition,
    directory: str,
    config: LogConfig,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> PartitionLog:
    """Open the log in `directory`, which must be there; an empty one becomes an empty log.

    One that holds what no recovery explains, or cannot be read or written, becomes an `OfflineLog`.
    """
    log = PartitionLog(disk, partition, directory, config)
    log.epochs = LeaderEpochs(disk, f"{directory}/{LEADER_EPOCHS}")
    segments: list[Segment] = []
    try:
        names = without_old_names(disk, directory, set(disk.list(directory)))
        log.config = _with_scheme_of(names, config)
        if PARTITION_METADATA in names:
            _identify(log, f"{directory}/{PARTITION_METADATA}", clean=checkpoint.clean)
        known_segments = known_of(log, checkpoint.known)
        check_names(log, names, known_segments)
        names = _tidied(log, names, {segment_name(each.base) for each in known_segments})
        segments += _segments(disk, directory, log.config, names)
        check_sizes(log, segments, known_segments)
        expect_aborted(segments, known_segments)
        _begin(log, segments, _of_07(log, names, segments, checkpoint))
    except StorageError as error:
        advice = _ADVICE.get(type(error), "The next start tries again")
        known, in_order = checkpoint[:2], checkpoint.clean
        return OfflineLog(log, segments, error, known, advice=advice, left_in_order=in_order)
    return log


_GIVE_UP = "`barnabas topics give-up` continues without"
_ADVICE: Mapping[type[StorageError], str] = {
    DamagedFile: f"Put a whole copy of the file there and start again; {_GIVE_UP} the partition's records",
    SegmentsMissing: f"Put them back and start again; {_GIVE_UP} them",
}


def _of_07(
    log: PartitionLog, names: set[str], segments: Sequence[Segment], checkpoint: Checkpoint
) -> Checkpoint:
    """What is known of a log; Kafka 0.7 syncs a segment before it starts the next.

    It has no checkpoints. Barnabas does not, and its logs have another file beside their segments.
    """
    ours = PARTITION_METADATA in names or checkpoint.recovery_point
    if ours or not segments or not log.config.byte_positions:
        return checkpoint
    return checkpoint._replace(recovery_point=segments[-1].base_offset)


def _begin(log: PartitionLog, segments: list[Segment], checkpoint: Checkpoint) -> None:
    """Find the log's start and end, its leader epochs, and its producers.

    Raises:
        StorageError: the files cannot be read or written.
        DamagedFile: a segment has wrong contents where it was checked.
    """
    if not segments:
        start = checkpoint.start_offset
        segments = [new_segment(log.disk, log.directory, start, log.config)]
    fault, known = log.epochs.load(), log.epochs.latest
    log.epochs.hold()
    segments, start, end, rebuilt, newest = find_bounds(log, segments, checkpoint)
    if log.config.byte_positions:
        log.losses.missing_bytes(_holes(segments))
    # The one that begins where the log ends is still the leader's, and stays: leading would only
    # write it again, a sync for each log that is empty.
    log.epochs.truncate_end(end + 1)
    log.epochs.truncate_start(start)
    try:
        log.epochs.save()
    except DiskFull as error:
        log.refusal = error  # They are known, so that all can be read.
    # What was made again from the batches is to be synced, too.
    log.opened(Segments(segments), start, end, end if rebuilt is None else min(rebuilt, end))
    log.recovered_watermark = max(start, min(checkpoint.high_watermark, end))
    # What recovery found of epochs began where it began to look, at the latest.
    is_part = known < 0 <= newest and rebuilt not in (None, segments[0].base_offset)
    known_last = log.epochs.at(end - 1)
    if not fault and (is_part or (newest >= 0 and newest != known_last)):
        fault = f"the last batches have epoch {newest}, but its last entry is {known_last}"
    if fault:
        rebuild_epochs(log.epochs, log.segments, start, fault)
    else:
        log.epochs.compare = lambda: check_epochs(log.epochs, log.segments, log.start_offset)
    restore_producers(log, rebuilt)
    if segments[-1].aborted.fault:
        rebuild_aborted(log, segments[-1], segments[-1].aborted.fault)
    if rebuilt is None:
        log.flushing.named_to = segments[-1].base_offset
    else:
        _begin_sync_of_names(log, end)
        if log.refusal is None and end - log.recovery_point >= log.config.flush_messages:
            # Unacknowledged records count from here on: readers see them, and a producer that
            # resends them gets a duplicate's response.
            log.flush()


def _holes(segments: list[Segment]) -> list[tuple[int, int]]:
    """Bytes of which the file is missing: nothing is ever taken out of a log of Kafka 0.7."""
    ends = [(one.base_offset + one.size, then.base_offset) for one, then in pairwise(segments)]
    return [(end, begin) for end, begin in ends if end < begin]


def _identify(log: PartitionLog, path: str, *, clean: bool) -> None:
    """Read the id in partition.metadata; there is none if it was created just before a power failure.

    In a cleanly closed directory that is reported: the owner of the topics sets the log's id.
    """
    try:
        topic_id = parse_topic_id(log.disk.read_file(path))
        what = f"{path} is damaged: at byte 0 there should be version 0 and the id of a topic"
    except StorageError as error:
        topic_id, what = None, str(error)
    if topic_id is not None:
        log.topic_id = topic_id
        return
    if clean:
        log.losses.notes.append(f"{what}; it gets the id of the topic of that name")
    log.disk.remove(path)


def _begin_sync_of_names(
    log: PartitionLog, end: int, on_over: Callable[[], None] | None = None
) -> None:
    """Bring to stable storage what `create_log` only wrote, with the log's files."""
    made = [f"{log.directory}/{name}" for name in (PARTITION_METADATA, LEADER_EPOCHS)]
    log.flushing.begin(log.segments, end, [*made, log.directory.rpartition("/")[0]], 0, on_over)


def create_log(
    disk: Disk,
    partition: TopicPartition,
    directory: str,
    config: LogConfig,
    topic_id: bytes,
    origin: LogOrigin = BEGINNING,
) -> PartitionLog:
    """Create the directory of a partition with an empty log, which starts at its `origin`.

    Nothing is synced when this returns: after a power failure parts may be missing, and `open_log`
    creates an empty log from the rest.

    Raises:
        StorageError: it cannot be created, or the directory contains records.
    """
    disk.make_directory(directory)
    _refuse_records(disk, directory)
    disk.write_file(f"{directory}/{PARTITION_METADATA}", encode_topic_id(topic_id))
    log = PartitionLog(disk, partition, directory, config)
    log.topic_id = topic_id
    log.epochs = LeaderEpochs(disk, f"{directory}/{LEADER_EPOCHS}")
    epoch, start, on_named = origin
    segments = Segments([new_segment(disk, directory, start, config)])
    log.opened(segments, start, start, start)
    log.epochs.assign(epoch, start)
    _begin_sync_of_names(log, start, on_named)
    return log


def _refuse_records(disk: Disk, directory: str) -> None:
    """Nobody makes a log over another: of a controller, or of a name that the file system takes for this."""
    for name in disk.list(directory):
        parsed = parse_segment_file(name)
        if parsed and parsed[1] in (LOG, OLD_LOG) and disk.size(f"{directory}/{name}"):
            raise LogDirFailed(
                f"{directory} is to become a new log, and has records in {name}: move it away, or take"
                " another name"
            )


def _tidied(log: PartitionLog, names: set[str], known: Container[str]) -> set[str]:
    """Names in the directory after completing interrupted operations.

    Removed files whose stem is in `known` stay until the inventory is written.
    """
    disk, directory = log.disk, log.directory
    names = finish_replacement(disk, directory, names)
    for name in sorted(names):
        if name.endswith(DELETED) and name.partition(".")[0] in known:
            log.losses.evidence.append(f"{directory}/{name}")
            names.discard(name)
        elif name.endswith((DELETED, CLEANED, ".tmp")):
            disk.remove(f"{directory}/{name}")
            names.discard(name)
    for name in sorted(names):
        parsed = parse_segment_file(name)
        if parsed and parsed[1] in SEGMENT_FILES:
            stem = segment_name(parsed[0])
            if stem + LOG not in names and stem + OLD_LOG not in names:
                disk.remove(f"{directory}/{name}")
                names.discard(name)
    return names


def _with_scheme_of(names: set[str], config: LogConfig) -> LogConfig:
    """The properties for a log with files: these determine the meaning of offsets."""
    suffixes = {parsed[1] for parsed in map(parse_segment_file, names) if parsed}
    if OLD_LOG in suffixes and not config.byte_positions:
        return replace(config, magic=MAGIC_07, cleanup_policy=frozenset({"delete"}))
    if LOG in suffixes and config.byte_positions:
        return replace(config, magic=TODAYS_MAGIC)
    return config


def _segments(disk: Disk, directory: str, config: LogConfig, names: set[str]) -> list[Segment]:
    parsed = (parse_segment_file(name) for name in names)
    bases = sorted(base for base, suffix in filter(None, parsed) if suffix == config.scheme.suffix)
    return [
        Segment(
            disk,
            directory,
            base,
            config,
            # Whatever is in the file, there is something: nobody makes an empty one.
            aborted_entries=int(segment_name(base) + TRANSACTION_INDEX in names),
        )
        for base in bases
    ]
