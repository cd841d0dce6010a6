"""One partition's log: append, read, truncate. Used by one thread.

What is *not* here: how files are written and rolled (`stored_log`), opening and recovery (`opening`),
truncation, when old segments go (`retention`).
"""

from barnabas.errors import ErrorCode, StorageError
from barnabas.log.append_results import NOTHING, OUT_OF_RANGE, AppendInfo, FoundTimestamp, ReadInfo
from barnabas.log.partition.limits import needs_new_segment, refuse_if_beyond
from barnabas.log.partition.reading import slice_of_older, slice_of_recent
from barnabas.log.partition.stored_log import StoredLog
from barnabas.log.partition.timestamps import first_not_before, newest
from barnabas.log.producers.producer_state import repeated
from barnabas.log.segments.log_config import TODAYS_MAGIC, LogConfig
from barnabas.records.batches.batch import BatchHeader, read_header, stamp, stamp_append_time
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.types import NO_TIMESTAMP, Buffer, new_tuple


class PartitionLog(StoredLog):
    """The records of one partition on one disk."""

    __slots__ = ()

    def lead(self, epoch: int) -> None:
        """Be the leader's log from here on: `epoch` begins at the end, unless it has begun."""
        if epoch > self.epochs.latest:
            self.begin_epoch(epoch, self.end_offset)

    def lead_replicas(self, epoch: int) -> None:
        """As `lead`, where there are other replicas: without an epoch if the topic's records have none."""
        if self.config.magic < TODAYS_MAGIC:
            self.forget_epochs()
        else:
            self.lead(epoch)

    def configure(self, config: LogConfig) -> None:
        """Obey other properties from now on; `index.interval.bytes` from the next segment on.

        What offsets mean stays as the segments have it.
        """
        self.config = config.with_scheme_of(self.config)
        self.segments.active.room = 0

    # --- Appending ----------------------------------------------------------------------------

    def append(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now_ms: int,
        header: BatchHeader | None = None,
        internal: bool = False,
    ) -> AppendInfo:
        """Give one checked batch its offsets, in place, and queue it for `write_pending`.

        `records` is writable, is exactly the batch, and must not change until it is written.
        `header` is what `read_header(records)` gave, to save reading it again. `internal`: written
        by the broker itself, so neither size nor timestamps nor sequences are judged.

        Raises:
            RefusedRecords: the batch must not be appended; the log is as before.
            StorageError: the log is offline, or its disk is full.
        """
        if self.refusal is not None:
            raise self.refused()
        batch = header if header is not None else read_header(records)
        size = batch.size
        config = self.config
        append_time: int = NO_TIMESTAMP
        timestamp = batch.max_timestamp
        producer_id = batch.producer_id
        if not internal:
            if (
                size > config.sure_batch_bytes
                or timestamp - now_ms > config.message_timestamp_after_max_ms
                or config.judges_records
            ):
                refuse_if_beyond(batch, records, config, now_ms)
            if config.message_timestamp_type == "LogAppendTime":
                append_time = timestamp = now_ms
            known = self.producers.check(batch) if producer_id >= 0 else None
            if known is not None:
                return repeated(known, append_time, self.start_offset)
        base = self.end_offset
        last = base + batch.last_offset_delta
        segment = self.segments.active
        if not segment.surely_takes(size, last, timestamp, config) and needs_new_segment(
            segment, config, (size, last, batch.max_timestamp), now_ms
        ):
            segment = self.roll(now_ms)
        if append_time >= 0:
            stamp_append_time(records, batch, now_ms)
        stamp(records, size, base, leader_epoch)
        if leader_epoch > self.epochs.latest:
            self.begin_epoch(leader_epoch, base)
        if producer_id >= 0:
            segment.note_aborted(self.producers.add(batch, records, base, timestamp))
        self.queue_batch(records, size, last, timestamp)
        return new_tuple(AppendInfo, (base, last, append_time, self.start_offset, False))

    def queue_batch(self, records: Buffer, size: int, last_offset: int, timestamp: int) -> None:
        """Queue a batch that has its offsets, for which the active segment has room."""
        segment = self.segments.active
        self.recent.add(self.end_offset, segment.size)
        segment.add(size, last_offset, timestamp)
        self.queue.append(records)
        self.end_offset = last_offset + 1

    def queue_set(self, messages: memoryview, last_offset: int, timestamp: int) -> None:
        """Queue messages of an old format that have their offsets; a read finds each by the index."""
        self.recent.clear()
        self.segments.active.add(len(messages), last_offset, timestamp)
        self.queue.append(messages)
        self.end_offset = last_offset + 1

    def begin_epoch(self, epoch: int, offset: int) -> None:
        """Know that a leader epoch begins at an offset; raises if that cannot be written."""
        try:
            self.epochs.assign(epoch, offset)
        except StorageError as error:
            self.fail(error)
            raise
        self.flushing.unsynced.add(self.epochs.path)

    def forget_epochs(self) -> None:
        """Know no leader epoch, because records have none; raises if that cannot be written."""
        try:
            self.epochs.clear()
        except StorageError as error:
            self.fail(error)
            raise

    # --- Reading ------------------------------------------------------------------------------

    def read(self, offset: int, max_bytes: int, *, max_offset: int, min_one: bool) -> ReadInfo:
        """The bytes from the batch that holds `offset` on, of one segment.

        At most `max_bytes`, and whole batches where their bounds are known without a search (the
        last one may be partial otherwise); the first batch is whole or there is nothing. With
        `min_one` it comes even if it is larger than `max_bytes`. Nothing from `max_offset` on.

        Raises:
            StorageError: the log is offline or a segment is damaged.
        """
        if self.failure is not None:
            raise self.offline()
        end = self.written_end
        if not self.start_offset <= offset <= end:
            return OUT_OF_RANGE
        if offset >= end or offset >= max_offset:
            return NOTHING
        segment = self.segments.active
        # A limit, but where the file holds nothing that is not to be seen.
        limit = min(max_offset, end)
        whole = limit == self.file_end
        if whole and offset >= segment.base_offset:
            found = self.recent.find(offset)
            if found >= 0:
                return slice_of_recent(segment, self.recent, found, max_bytes, min_one=min_one)
        wanted = (offset, None if whole else limit)
        return slice_of_older(self.segments, self._hints, wanted, max_bytes, min_one=min_one)

    def offset_for_timestamp(
        self, timestamp: int, unpacking: Unpacking | None = None
    ) -> FoundTimestamp | None:
        """The first record that is not older than `timestamp`; None if all are.

        Raises:
            RefusedRecords, StorageError: as `first_not_before`; the log is offline.
        """
        self.write_pending()
        return first_not_before(self.segments, self.start_offset, timestamp, unpacking)

    def offset_of_max_timestamp(self, unpacking: Unpacking | None = None) -> FoundTimestamp | None:
        """The first with the greatest of all; None of an empty log. Raises as the one for a time."""
        self.write_pending()
        return newest(self.segments, self.start_offset, unpacking)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch not above `epoch` and its end offset; (-1, -1) if it is too new."""
        return self.epochs.end_offset(epoch, self.end_offset)

    # --- Cutting ------------------------------------------------------------------

    def delete_before(self, offset: int) -> None:
        """Let the log start at `offset`; segments wholly before it go at the next maintenance.

        Raises:
            RefusedRecords: OFFSET_OUT_OF_RANGE: the offset is behind the high watermark.
        """
        if offset > self.high_watermark:
            raise RefusedRecords(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"{offset} is behind the high watermark {self.high_watermark}",
            )
        if offset > self.start_offset:
            self.start_offset = offset
            self.epochs.truncate_start(offset)

    def forget_places(self) -> None:
        """Know of no place in a segment: some of them are others now."""
        self._hints.clear()
