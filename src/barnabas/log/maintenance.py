"""Periodic work for all logs: retention, flushes, checkpoints, removals."""

from collections.abc import Iterator, Mapping, Sequence

from barnabas.errors import StorageError
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.directories.removals import Removals
from barnabas.log.file_names import DELETED, SEGMENT_FILES
from barnabas.log.log_start import LogEvent, LogSettings
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import SEGMENTS_A_STEP, drop_expired
from barnabas.log.schedule import Schedule
from barnabas.log.segments.segment import Segment
from barnabas.types import TopicPartition

_LOGS_A_STEP = 256


class LogMaintenance:
    """`is_news`: the inventory is to be written before it is time for that."""

    def __init__(
        self,
        settings: LogSettings,
        directories: LogDirectories,
        keeper: InventoryKeeper,
        removals: Removals,
    ) -> None:
        self._directories = directories
        self._keeper = keeper
        self._removals = removals
        self.is_news = False
        self._retention = Schedule(settings.log_retention_check_interval_ms)
        self._checkpoints = Schedule(settings.log_flush_offset_checkpoint_interval_ms)
        self._expiry = Schedule(settings.producer_id_expiration_check_interval_ms)

    def note(self) -> None:
        """Have the inventory written soon: a log has another directory."""
        self.is_news = True

    def begin(self, now_ms: int) -> None:
        """The intervals begin."""
        for schedule in (self._retention, self._checkpoints, self._expiry):
            schedule.begin(now_ms)

    def steps(
        self,
        logs: Sequence[PartitionLog],
        places: Mapping[TopicPartition, LogDirectory],
        now_ms: int,
    ) -> Iterator[list[LogEvent]]:
        """As `LogManager.maintain_in_steps`."""
        retention = self._retention.is_due(now_ms)
        expiry = self._expiry.is_due(now_ms)
        for number, log in enumerate(logs, 1):
            if log.failure is not None:
                continue  # One that was deleted since this began has failed, too.
            events: list[LogEvent] = []
            try:
                self._maintain(log, places, now_ms, events, expiry=expiry)
                for _ in self._drop_expired(log, now_ms, events) if retention else ():
                    yield []
            except StorageError as error:
                log.drop_queued(error)
                what = "is offline" if log.failure else "takes no records"
                events.append(LogEvent(log.topic_partition, f"{what}: {error}", problem=True))
            if events or number % _LOGS_A_STEP == 0:
                yield events
        if self._checkpoints.is_due(now_ms):
            yield self.write_checkpoints()
            self.is_news = True
        stale = self._keeper.is_stale and self._removals.needs_inventory(now_ms)
        if self.is_news or stale:
            self.is_news = False
            failures: list[StorageError] = []
            for _ in self._keeper.save_in_steps(failures):
                yield []
            yield [not_written(failure) for failure in failures]
        for failure in self._removals.run(now_ms, stale=self._keeper.is_stale):
            yield [LogEvent(None, f"not removed: {failure}", problem=True)] if failure else []

    def _maintain(
        self,
        log: PartitionLog,
        places: Mapping[TopicPartition, LogDirectory],
        now_ms: int,
        events: list[LogEvent],
        *,
        expiry: bool,
    ) -> None:
        if log.cut_off:
            cut_off, log.cut_off = log.cut_off, []
            self.remove_later(log, cut_off, now_ms)
        log.poll_syncs()
        if log.refusal is not None and places[log.topic_partition].has_room():
            log.refusal = None
            log.begin_flush(now_ms)
            events.append(LogEvent(log.topic_partition, "takes records again: there is room"))
        if not 0 <= now_ms - log.flushing.begun_ms < log.config.flush_ms:
            log.begin_flush(now_ms)
        if expiry:
            log.producers.expire(now_ms, log.config.producer_id_expiration_ms)

    def _drop_expired(
        self, log: PartitionLog, now_ms: int, events: list[LogEvent]
    ) -> Iterator[None]:
        """Drop segments in steps, between which the log may be deleted; `events` gets one for all."""
        count = size = 0
        try:
            while dropped := drop_expired(log, now_ms):
                for segment in dropped:
                    segment.rename_to(DELETED)
                self.remove_later(log, dropped, now_ms)
                count += len(dropped)
                size += sum(segment.size for segment in dropped)
                if len(dropped) < SEGMENTS_A_STEP:
                    break
                yield
                if log.failure is not None:
                    break
        finally:
            if count:
                text = f"dropped {count} segments of {size} bytes before {log.start_offset}"
                events.append(LogEvent(log.topic_partition, text))

    def remove_later(self, log: PartitionLog, segments: Sequence[Segment], now_ms: int) -> None:
        """Remove segments taken out of a log, and renamed, after `file.delete.delay.ms`."""
        paths = [segment.stem + kind + DELETED for segment in segments for kind in SEGMENT_FILES]
        delay_ms = log.config.file_delete_delay_ms
        self._removals.add(now_ms, delay_ms, paths, segments, of_inventory=True)
        self._keeper.is_stale = True

    def write_checkpoints(self) -> list[LogEvent]:
        """Write down for the next start how far each log is; gives what could not be written."""
        events: list[LogEvent] = []
        for directory in self._directories.usable:
            try:
                directory.write_checkpoints()
            except StorageError as error:
                directory.in_order = False
                events.append(not_written(error))
            else:
                directory.in_order = True
        return events


def not_written(error: StorageError) -> LogEvent:
    """What to report where checkpoints cannot be written."""
    return LogEvent(None, f"checkpoints not written: {error}", problem=True)
