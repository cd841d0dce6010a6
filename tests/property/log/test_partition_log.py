"""A log agrees with a list of batches, under random operations and power cuts."""

import contextlib
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from barnabas.errors import DiskFull, ErrorCode, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import drop_expired
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import crc_is_right, walk
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch

DOGS = TopicPartition("dogs", 0)
PRODUCER = 7
ALL = 1 << 62


class Batch(NamedTuple):
    base: int
    next: int
    timestamp: int
    sequence: int
    crc: int


class LogMachine(RuleBasedStateMachine):
    """`batches` are those that must be there, with those that retention may have taken."""

    log: PartitionLog

    @initialize(
        segment_bytes=st.sampled_from([300, 1000, 5000]),
        interval=st.sampled_from([0, 200, 4096]),
        retention=st.sampled_from([-1, 1500]),
    )
    def begin(self, segment_bytes: int, interval: int, retention: int) -> None:
        self.disk = MemoryDisk()
        self.config = LogConfig(
            segment_bytes=segment_bytes,
            index_interval_bytes=interval,
            retention_bytes=retention,
            retention_ms=-1,
        )
        self.log = create_log(self.disk, DOGS, "/d/dogs-0", self.config, bytes(16))
        self.batches: list[Batch] = []
        self.queued: list[Batch] = []
        self.start = 0
        self.least_end = 0
        self.epoch = 0

    # --- What a broker does -------------------------------------------------------------------

    @rule(
        count=st.integers(1, 4),
        size=st.integers(70, 900),
        timestamp=st.integers(0, 1000),
        numbered=st.booleans(),
    )
    def append(self, count: int, size: int, timestamp: int, *, numbered: bool) -> None:
        sequence = self.next_sequence() if numbered else -1
        producer = (PRODUCER, 0, sequence) if numbered else (-1, -1, -1)
        data = make_batch(count, size=size, timestamp=timestamp, producer=producer)
        base = self.log.end_offset
        if len(data) > self.config.segment_bytes:
            with pytest.raises(RefusedRecords, match="RECORD_LIST_TOO_LARGE"):
                self.log.append(memoryview(data), leader_epoch=self.epoch, now_ms=timestamp)
            assert self.log.end_offset == base
            return
        info = self.log.append(memoryview(data), leader_epoch=self.epoch, now_ms=timestamp)
        assert (info.base_offset, info.last_offset) == (base, base + count - 1)
        assert not info.duplicate
        crc = int.from_bytes(data[17:21], "big")
        self.queued.append(Batch(base, base + count, timestamp, sequence, crc))
        self.take_over_written()

    def take_over_written(self) -> None:
        """A roll writes what was queued before."""
        while self.queued and self.queued[0].next <= self.log.written_end:
            self.batches.append(self.queued.pop(0))

    def next_sequence(self) -> int:
        known = [b for b in self.batches + self.queued if b.sequence >= 0]
        return known[-1].sequence + known[-1].next - known[-1].base if known else 0

    @rule()
    def write(self) -> None:
        self.log.write_pending()
        self.take_over_written()
        assert not self.queued

    def numbered(self) -> list[Batch]:
        """Those of the producer that are still in the log; of others it may know nothing."""
        return [b for b in self.batches + self.queued if b.sequence >= 0 and b.next > self.start]

    @precondition(lambda self: self.numbered())
    @rule()
    def repeat_the_last_numbered_batch(self) -> None:
        last = self.numbered()[-1]
        data = make_batch(last.next - last.base, producer=(PRODUCER, 0, last.sequence))
        info = self.log.append(memoryview(data), leader_epoch=self.epoch, now_ms=0)
        assert (info.base_offset, info.last_offset) == (last.base, last.next - 1)
        assert info.duplicate

    @rule()
    def roll(self) -> None:
        self.log.roll(0)
        self.take_over_written()

    @rule(rolls=st.booleans())
    def find_no_room(self, *, rolls: bool) -> None:
        """Queued records are lost, written ones stay readable, and with free space it continues from there."""
        self.disk.is_full = True
        with contextlib.suppress(DiskFull):
            self.log.roll(0) if rolls else self.log.write_pending()
        if self.log.refusal is not None:
            assert self.log.failure is None
            self.queued = []
            with pytest.raises(StorageError, match="takes no records: No space left"):
                self.log.append(memoryview(make_batch()), leader_epoch=self.epoch, now_ms=0)
        self.take_over_written()
        self.disk.is_full = False
        self.log.refusal = None

    @rule()
    def kill_without_room(self) -> None:
        """It can be read without room for its indexes."""
        checkpoint = self.checkpoint(clean=False)
        self.queued = []
        self.disk.is_full = True
        end = self.log.written_end
        self.reopen(checkpoint)
        assert (self.log.end_offset, self.log.failure) == (end, None)
        self.all_batches_are_read()
        self.disk.is_full = False
        self.log.refusal = None

    @rule()
    def flush(self) -> None:
        self.log.flush()
        self.take_over_written()
        assert self.log.recovery_point == self.log.end_offset

    @rule()
    def flush_meanwhile(self) -> None:
        self.log.begin_flush(0)
        self.take_over_written()
        self.log.poll_syncs()
        assert self.log.recovery_point <= self.log.written_end

    @rule()
    def retain(self) -> None:
        for segment in drop_expired(self.log, 0):
            segment.close()
            for path in segment.rename_to(".deleted"):
                self.disk.remove(path)
        self.take_over_written()
        assert self.log.start_offset >= self.start
        self.start = self.log.start_offset

    @rule(back=st.integers(0, 10))
    def delete_before(self, back: int) -> None:
        self.log.delete_before(max(self.log.written_end - back, 0))
        self.start = max(self.start, self.log.written_end - back)

    @rule(back=st.integers(0, 10))
    def truncate(self, back: int) -> None:
        self.write()
        offset = max(self.log.end_offset - back, self.start)
        truncate_log(self.log, offset)
        assert self.log.end_offset <= offset
        self.forget_from(self.log.end_offset)

    def forget_from(self, end: int) -> None:
        self.batches = [b for b in self.batches if b.next <= end]
        self.queued = []
        self.start = min(self.start, end)
        self.least_end = min(self.least_end, end)
        self.epoch += 1

    # --- How it stops -------------------------------------------------------------------------

    def checkpoint(self, *, clean: bool) -> Checkpoint:
        log = self.log
        return Checkpoint(log.recovery_point, log.start_offset, clean, log.written_end)

    def reopen(self, checkpoint: Checkpoint) -> None:
        self.log = open_log(self.disk, DOGS, "/d/dogs-0", self.config, checkpoint)
        assert self.log.start_offset == self.start

    @rule(cut=st.booleans(), random=st.randoms())
    def stop_in_order(self, *, cut: bool, random: object) -> None:
        self.write()
        self.log.close(clean=True)
        checkpoint = self.checkpoint(clean=True)
        assert checkpoint.recovery_point == self.log.end_offset
        if cut:
            self.disk.power_cut(random.randrange)  # type: ignore[attr-defined]
        end = self.log.end_offset
        self.reopen(checkpoint)
        assert self.log.end_offset == end

    @rule()
    def kill(self) -> None:
        checkpoint = self.checkpoint(clean=False)
        end = self.log.written_end
        self.queued = []
        self.reopen(checkpoint)
        assert self.log.end_offset == end

    @rule(random=st.randoms())
    def power_cut(self, random: object) -> None:
        checkpoint = self.checkpoint(clean=False)
        self.disk.power_cut(random.randrange)  # type: ignore[attr-defined]
        self.reopen(checkpoint)
        assert self.log.end_offset >= checkpoint.recovery_point
        there = self.batches_read(self.log.start_offset, 700)
        stay = [b for b in self.batches if b.next <= self.start or b[:2] + b[-1:] in there]
        gone = [b for b in self.batches if b not in stay]
        assert all(b.next > checkpoint.recovery_point for b in gone)
        # A segment is a beginning of what it was: one of its batches is not gone without the next.
        bases = [segment.base_offset for segment in self.log.segments]
        followers = {b.base for b in stay} - set(bases)
        assert not followers & {b.next for b in gone}
        self.batches = stay
        # An empty segment may be all that is left of the end.
        self.least_end = self.log.segments.active.base_offset
        self.forget_from(self.log.end_offset)

    # --- What must hold -----------------------------------------------------------------------

    @invariant()
    def all_batches_are_read(self) -> None:
        there = [(b.base, b.next, b.crc) for b in self.batches if b.next > self.start]
        assert self.batches_read(self.log.start_offset, 700) == there

    @rule(back=st.integers(1, 30), end=st.integers(0, 30), most=st.sampled_from([70, 700, 3000]))
    def read_a_part(self, back: int, end: int, most: int) -> None:
        """From anywhere, in steps of any size, not to the end: no batch is left out or split."""
        first = max(self.log.written_end - back, self.start)
        last = self.log.written_end - end
        expected = [(b.base, b.next, b.crc) for b in self.batches if first < b.next <= last]
        assert self.batches_read(first, most, last) == expected

    def batches_read(
        self, position: int, most: int, max_offset: int = ALL
    ) -> list[tuple[int, int, int]]:
        seen = []
        while position < min(self.log.written_end, max_offset):
            found = self.log.read(position, most, max_offset=max_offset, min_one=True)
            if found.records is None:
                break
            data = found.records.file.read(found.records.position, found.records.size)
            headers = list(walk(data))
            assert headers, "the first batch is whole"
            for header in headers:
                assert crc_is_right(data, header)
                seen.append((header.base_offset, header.next_offset, header.crc))
            position = seen[-1][1]
        return seen

    @invariant()
    def ends_are_right(self) -> None:
        log = self.log
        assert log.start_offset == self.start <= log.written_end <= log.end_offset
        assert log.recovery_point <= log.written_end
        known = [*self.batches, *self.queued]
        if known:
            assert log.end_offset == max(known[-1].next, self.start, self.least_end)

    @invariant()
    def a_timestamp_is_found(self) -> None:
        if self.queued:
            return
        there = [b for b in self.batches if b.next > self.start]
        found = self.log.offset_for_timestamp(500)
        first = next((b for b in there if b.timestamp >= 500), None)
        assert (found and found.offset) == (first and max(first.base, self.start))

    @invariant()
    def outside_there_is_nothing(self) -> None:
        for offset in (self.log.start_offset - 1, self.log.written_end + 1):
            found = self.log.read(offset, 100, max_offset=ALL, min_one=True)
            assert found.error == ErrorCode.OFFSET_OUT_OF_RANGE


TestLog = LogMachine.TestCase
TestLog.settings = settings(max_examples=50, stateful_step_count=25, deadline=None)
