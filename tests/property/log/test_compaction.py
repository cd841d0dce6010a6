"""A compacted log has the last value of each key that was written, wherever compaction is interrupted."""

import contextlib
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from barnabas.log.cleaner import CleanerSettings, LogCleaner
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import crc_is_right, walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.control import read_marker
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.runtime.entropy import SystemEntropy
from barnabas.types import TopicPartition
from tests.memory_disk import Killed, MemoryDisk
from tests.record_batches import make_marker
from tests.step_worker import StepWorker

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
KEYS = st.sampled_from([b"a", b"b", b"cc", b"a key of more than sixteen bytes", b""])
VALUES = st.none() | st.sampled_from([b"", b"1", b"22", b"x" * 90])
RECORDS = st.lists(
    st.tuples(st.one_of(KEYS, KEYS, KEYS, st.none()), VALUES, st.integers(0, 300)),
    min_size=1,
    max_size=4,
)
BATCHES = st.lists(st.tuples(RECORDS, st.sampled_from(list(Codec))), min_size=1, max_size=6)
PRODUCERS = st.sampled_from([1, 2])
ALL = 1 << 62
Batch = tuple[list[tuple[bytes | None, bytes | None, int]], Codec]
RETENTION = 1000


class Written(NamedTuple):
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp: int


class ManualClock:
    def __init__(self) -> None:
        self.now = 10_000

    def time_ms(self) -> int:
        return self.now

    def time_ns(self) -> int:
        return self.now * 1_000_000

    def monotonic(self) -> float:
        return self.now / 1000


class Seen(NamedTuple):
    """What a log holds: the records that count, those that were aborted, those still open."""

    committed: list[Written]
    aborted: list[Written]
    open: dict[int, list[Written]]


class CompactionMachine(RuleBasedStateMachine):
    """`written` is every record that counts, in order; `open` those of transactions under way."""

    logs: LogManager
    log: PartitionLog

    @initialize(
        segment_bytes=st.sampled_from([200, 600, 3000]),
        buffer=st.sampled_from([24 * 3, 24 * 4, 1 << 20]),
        lag=st.sampled_from([0, 0, 200]),
        interval=st.sampled_from([0, 4096]),
    )
    def begin(self, segment_bytes: int, buffer: int, lag: int, interval: int) -> None:
        self.disk = MemoryDisk()
        self.clock = ManualClock()
        self.config = LogConfig(
            segment_bytes=segment_bytes,
            index_interval_bytes=interval,
            cleanup_policy=frozenset({"compact"}),
            delete_retention_ms=RETENTION,
            min_compaction_lag_ms=lag,
            min_cleanable_dirty_ratio=0.0,
            file_delete_delay_ms=500,
            message_timestamp_after_max_ms=ALL,
        )
        self.settings = CleanerSettings(dedupe_buffer_size=buffer, backoff_ms=0)
        self.written: list[Written] = []
        self.aborted: list[Written] = []
        self.open: dict[int, list[Written]] = {}
        self.sequences = {1: 0, 2: 0}
        self.start()
        self.log = self.logs.create(DOGS, bytes(16), self.config)
        self.log.lead(0)

    def start(self) -> None:
        entropy = SystemEntropy()
        self.logs = LogManager(
            self.disk, self.clock, entropy, LogSettings(1, ["/d"]), lambda _: self.config
        )
        self.logs.open()
        self.worker = StepWorker(self.disk)
        self.cleaner = LogCleaner(self.logs, self.worker, entropy, self.settings)

    # --- What producers do --------------------------------------------------------------------

    def append(self, records: list[tuple[bytes | None, bytes | None, int]], codec: Codec,
               producer: int | None = None, *, transactional: bool = False) -> list[Written]:  # fmt: skip
        builder = BatchBuilder(codec, 1 << 20)
        for key, value, ahead in records:
            builder.append(self.clock.now + ahead, key, value, [("h", b"1")] if ahead % 2 else [])
        if producer is None:
            data = builder.build()
        else:
            data = builder.build(producer, 0, self.sequences[producer], transactional=transactional)
            self.sequences[producer] += len(records)
        # As from the broker itself: a topic may hold keyless records from before it was compacted.
        info = self.log.append(
            memoryview(data), leader_epoch=0, now_ms=self.clock.now, internal=True
        )
        assert not info.duplicate
        self.log.write_pending()
        return [
            Written(info.base_offset + index, key, value, self.clock.now + ahead)
            for index, (key, value, ahead) in enumerate(records)
        ]

    @rule(batches=BATCHES, numbered=st.booleans())
    def write(self, batches: list[Batch], *, numbered: bool) -> None:
        producer = 1 if numbered and 1 not in self.open else None
        for records, codec in batches:
            self.written += self.append(records, codec, producer)

    @rule(batches=BATCHES, producer=PRODUCERS)
    def write_in_a_transaction(self, batches: list[Batch], producer: int) -> None:
        for records, codec in batches:
            written = self.append(records, codec, producer, transactional=True)
            self.open.setdefault(producer, []).extend(written)

    @rule(batches=BATCHES, producer=PRODUCERS, commit=st.booleans())
    def write_a_whole_transaction(
        self, batches: list[Batch], producer: int, *, commit: bool
    ) -> None:
        self.write_in_a_transaction(batches, producer)
        self.end_a_transaction(producer, commit=commit)

    @rule(producer=PRODUCERS, commit=st.booleans())
    def end_a_transaction(self, producer: int, *, commit: bool) -> None:
        marker = make_marker(producer, 0, commit=commit, timestamp=self.clock.now)
        self.log.append(memoryview(marker), leader_epoch=0, now_ms=self.clock.now, internal=True)
        self.log.write_pending()
        ended = self.open.pop(producer, [])
        (self.written if commit else self.aborted).extend(ended)
        self.written.sort()

    # --- What time and the broker do ----------------------------------------------------------

    @rule(ms=st.sampled_from([1, 100, 700, 2000]))
    def pass_time(self, ms: int) -> None:
        self.clock.now += ms
        self.logs.maintain(self.clock.now)

    @rule()
    def roll(self) -> None:
        self.log.roll(self.clock.now)
        self.log.flush()

    @rule(steps=st.sampled_from([1, 3, 6, 10]))
    def compact_a_little(self, steps: int) -> None:
        self.compact(steps)

    def compact(self, steps: int) -> None:
        self.log.poll_syncs()
        self.log.poll_syncs()
        events = self.cleaner.poll(self.clock.now)
        assert not [event for event in events if event.problem]
        self.worker.take(steps)

    @rule()
    def compact_all(self) -> None:
        self.log.roll(self.clock.now)
        self.log.flush()
        for _ in range(100):
            self.compact(1000)
            if not self.cleaner.busy:
                break
        else:
            raise AssertionError("the cleaner does not come to an end")
        if not self.config.min_compaction_lag_ms and not self.open:
            self.no_key_is_twice()

    @rule(names=st.integers(0, 40))
    def die_while_compacting(self, names: int) -> None:
        self.log.roll(self.clock.now)
        self.log.flush()
        self.disk.names_until_death = names
        with contextlib.suppress(Killed):
            for _ in range(20):
                self.compact(3)
        self.kill()

    # --- How it stops -------------------------------------------------------------------------

    def come_back(self) -> None:
        end = self.log.end_offset
        self.start()
        found = self.logs.get(DOGS)
        assert found is not None
        self.log = found
        assert self.log.end_offset == end

    @rule()
    def kill(self) -> None:
        self.disk.killed()
        self.come_back()

    @rule(random=st.randoms())
    def power_cut(self, random: object) -> None:
        self.log.flush()
        self.disk.power_cut(random.randrange)  # type: ignore[attr-defined]
        self.come_back()

    @rule()
    def stop_in_order(self) -> None:
        self.cleaner.close()
        assert not self.logs.close()
        assert not [path for path in self.disk.files if path.endswith((".cleaned", ".swap"))]
        self.come_back()

    # --- What must hold -----------------------------------------------------------------------

    def seen(self) -> Seen:
        """What a reader makes of the log from its start."""
        found = Seen([], [], {})
        position, last = self.log.start_offset, -1
        while position < self.log.written_end:
            slice_ = self.log.read(position, 500, max_offset=ALL, min_one=True).records
            if slice_ is None:
                break
            data = slice_.file.read(slice_.position, slice_.size)
            for header in walk(data):
                assert header.base_offset > last
                last, position = header.last_offset, header.next_offset
                assert crc_is_right(data, header)
                batch = data[header.position : header.end]
                if header.control:
                    self.end(
                        found, header.producer_id, read_marker(batch) if header.count else None
                    )
                    continue
                records, _ = decode_records(batch, "dogs", 0)
                assert len(records) == header.count
                mine = [Written(r.offset, r.key, r.value, r.timestamp) for r in records]
                assert all(header.base_offset <= each.offset <= last for each in mine)
                if mine and not header.has_delete_horizon:
                    assert header.max_timestamp == max(each.timestamp for each in mine)
                if header.transactional:
                    found.open.setdefault(header.producer_id, []).extend(mine)
                else:
                    found.committed.extend(mine)
        found.committed.sort()
        return found

    def end(self, found: Seen, producer: int, marker: object) -> None:
        if marker is not None:
            ended = found.open.pop(producer, [])
            (found.committed if marker.committed else found.aborted).extend(ended)  # type: ignore[attr-defined]

    @invariant()
    def nothing_is_lost_or_made_up(self) -> None:
        seen = self.seen()
        assert set(seen.committed) <= set(self.written)
        assert set(seen.aborted) <= set(self.aborted)
        assert {k: v for k, v in seen.open.items() if v} == self.open
        there = {each.offset for each in seen.committed}
        latest = {each.key: each for each in self.written if each.key is not None}
        for record in latest.values():
            if record.offset not in there:
                # Only a tombstone may go, once it has been one for long enough.
                assert record.value is None
                assert self.clock.now - record.timestamp >= RETENTION - 300
        untouched = self.log.segments.active.base_offset
        assert {e.offset for e in self.written if e.offset >= untouched} <= there

    def no_key_is_twice(self) -> None:
        """Right after all but the active segment was compacted."""
        clean = self.log.segments.active.base_offset
        seen = self.seen()
        keys = [each.key for each in seen.committed if each.offset < clean]
        assert None not in keys
        assert len(keys) == len(set(keys))
        assert not [each for each in seen.aborted if each.offset < clean]

    @invariant()
    def producers_go_on(self) -> None:
        known = {each.producer_id: each for each in self.log.producers.entries()}
        for producer, sequence in self.sequences.items():
            if sequence:
                assert known[producer].next_sequence == sequence
            starts = [each.offset for each in self.open.get(producer, [])]
            if starts:
                assert known[producer].transaction_start <= min(starts)


TestCompaction = CompactionMachine.TestCase
TestCompaction.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
