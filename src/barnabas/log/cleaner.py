"""The cleaner: chooses the next compacted log, cleans it on a worker, and replaces its segments.

What is *not* here: what a round does (`compaction`), when `poll` is called (about once a second).
Source: Kafka's LogCleaner and LogCleanerManager.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from barnabas.errors import CorruptRecord, StorageError
from barnabas.log.cleaning.cleanable import Cleanable, find_cleanable
from barnabas.log.cleaning.replacement import discard_cleaned, replace_segments
from barnabas.log.directories.checkpoints import CLEANED_UP_TO, read_offsets, write_offsets
from barnabas.log.log_start import LogEvent
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Disk, Entropy, Work, Worker
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.log.cleaning.compaction import Compaction


class CleanerSettings(NamedTuple):
    """Kafka's `log.cleaner.*` properties that are of the broker and not of a topic."""

    enable: bool = True
    dedupe_buffer_size: int = 134_217_728
    io_buffer_load_factor: float = 0.9
    io_max_bytes_per_second: float = float("inf")
    backoff_ms: int = 15_000


@dataclass(slots=True)
class _Running:
    log: PartitionLog
    directory: str
    compaction: "Compaction"
    work: Work
    replaced: int = 0
    bytes_after: int = 0
    given_up: bool = False


class LogCleaner:
    """Compacts the logs of a manager, one at a time. Used from the manager's thread."""

    def __init__(
        self, logs: LogManager, worker: Worker, entropy: Entropy, settings: CleanerSettings
    ) -> None:
        self._logs = logs
        self._worker = worker
        self._entropy = entropy
        self._settings = settings
        self._clean: dict[str, dict[TopicPartition, int]] = {}
        self._ids: dict[TopicPartition, bytes] = {}
        """The topic ids of the logs that were looked at: one that is created again has another."""
        self._corrupt: set[PartitionLog] = set()
        self._running: _Running | None = None
        self._writing: Work | None = None
        self._next_look = 0

    def configure(self, settings: CleanerSettings) -> None:
        """Begin the rounds to come with these settings."""
        self._settings = settings

    @property
    def busy(self) -> bool:
        """Whether a round is under way."""
        return self._running is not None

    def poll(self, now_ms: int) -> list[LogEvent]:
        """Continue: take the worker's result, or find a log that needs compaction."""
        events: list[LogEvent] = []
        if self._running is not None:
            self._continue(self._running, now_ms, events)
        # What is further away than the interval is so since the clock was set back.
        waits = 0 < self._next_look - now_ms <= self._settings.backoff_ms
        if self._running is None and self._settings.enable and not waits:
            self._begin(now_ms, events)
        return events

    def close(self) -> None:
        """End the round under way; what it has not finished is lost."""
        running, self._running = self._running, None
        for work in (running.work if running else None, self._writing):
            if work is not None:
                work.cancel()
        if running is not None and self._goes_on(running):
            discard_cleaned(running.log.disk, running.log.directory)

    # --- Which log ----------------------------------------------------------------------------

    def _begin(self, now_ms: int, events: list[LogEvent]) -> None:
        chosen: tuple[float, PartitionLog, Cleanable] | None = None
        for log in self._logs.logs():
            if "compact" not in log.config.cleanup_policy or len(log.segments) < 2:
                continue
            if log.failure is not None or log in self._corrupt:
                continue
            try:
                found = find_cleanable(log, self._clean_up_to(log), now_ms)
            except StorageError as error:
                self._give_up(log, error, events)
                continue
            if found.is_due(log.config.min_cleanable_dirty_ratio) and (
                chosen is None or found.dirty_ratio > chosen[0]
            ):
                chosen = found.dirty_ratio, log, found
        if chosen is None:
            self._next_look = now_ms + self._settings.backoff_ms
            return
        # Imported late: a broker starts faster without it.
        from barnabas.log.cleaning.compaction import Compaction, begin_round

        _ratio, log, found = chosen
        memory = self._settings.dedupe_buffer_size, self._settings.io_buffer_load_factor
        plan = begin_round(log, found, now_ms, memory, self._entropy.uuid())
        compaction = Compaction(self._worker.disk, plan)
        work = self._worker.begin(compaction.steps(), self._settings.io_max_bytes_per_second)
        self._running = _Running(log, log.directory, compaction, work)

    def _clean_up_to(self, log: PartitionLog) -> int | None:
        partition, offsets = log.topic_partition, self._offsets(log.disk, _place(log))
        if self._ids.setdefault(partition, log.topic_id) != log.topic_id:
            self._ids[partition] = log.topic_id
            if offsets.pop(partition, None) is not None:
                self._write_down(log)
        return offsets.get(partition)

    def _offsets(self, disk: Disk, place: str) -> dict[TopicPartition, int]:
        offsets = self._clean.get(place)
        if offsets is None:
            offsets = self._clean[place] = read_offsets(disk, f"{place}/{CLEANED_UP_TO}")
        return offsets

    # --- A round ------------------------------------------------------------------------------

    def _continue(self, running: _Running, now_ms: int, events: list[LogEvent]) -> None:
        log = running.log
        if not self._goes_on(running):
            running.work.cancel()
            self._running = None
            return
        try:
            over = running.work.poll()
            self._put_in_place(running, now_ms)
        except StorageError as error:
            running.work.cancel()
            self._running = None
            self._give_up(log, error, events)
            self._next_look = now_ms + self._settings.backoff_ms
            return
        if running.given_up:
            running.work.cancel()
        elif over:
            self._note(log, running.compaction.end)
            text = (
                f"compacted up to {running.compaction.end}: {running.compaction.keys} keys,"
                f" {running.replaced} segments of {running.compaction.bytes_read} bytes became"
                f" {running.bytes_after} bytes"
            )
            events.append(LogEvent(log.topic_partition, text))
        else:
            return
        self._running = None
        discard_cleaned(log.disk, log.directory)

    def _put_in_place(self, running: _Running, now_ms: int) -> None:
        finished = running.compaction.finished
        while finished and not running.given_up:
            group = finished.popleft()
            old = replace_segments(running.log, group.bases)
            if old is None:
                # Retention or a truncation removed some of them: start again with the rest.
                running.given_up = True
                return
            self._logs.remove_later(running.log, old, now_ms)
            running.replaced += len(old)
            running.bytes_after += group.size

    def _give_up(self, log: PartitionLog, error: StorageError, events: list[LogEvent]) -> None:
        """A damaged log is left alone until the next start; another trouble may pass."""
        if log.failure is None:
            discard_cleaned(log.disk, log.directory)
        again = "" if isinstance(error, CorruptRecord) else ", tried again later"
        if not again:
            self._corrupt.add(log)
        text = f"not compacted{again}: {error}"
        events.append(LogEvent(log.topic_partition, text, problem=True))

    def _goes_on(self, running: _Running) -> bool:
        """Whether the files that a round works on are still those of the log."""
        log = running.log
        is_there = self._logs.get(log.topic_partition) is log and log.failure is None
        return is_there and log.directory == running.directory

    def _note(self, log: PartitionLog, offset: int) -> None:
        """Remember up to where a log is clean, and have it written down."""
        offsets = self._offsets(log.disk, _place(log))
        for partition in [each for each in offsets if self._logs.get(each) is None]:
            del offsets[partition]
        offsets[log.topic_partition] = offset
        self._write_down(log)

    def _write_down(self, log: PartitionLog) -> None:
        """Have the checkpoint written of the directory that a log is in."""
        if self._writing is not None:
            self._writing.cancel()
        place = _place(log)
        path = f"{place}/{CLEANED_UP_TO}"
        steps = _write(self._worker.disk, path, dict(self._clean[place]))
        self._writing = self._worker.begin(steps, float("inf"))


def _place(log: PartitionLog) -> str:
    """The log directory that a log is in."""
    return log.directory.rpartition("/")[0]


def _write(disk: Disk, path: str, offsets: Mapping[TopicPartition, int]) -> Iterator[int]:
    write_offsets(disk, path, offsets)
    yield 0
