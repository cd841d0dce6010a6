"""A bounded log on a real disk stays online while it rolls, expires, syncs and is read in any order."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition

pytestmark = pytest.mark.kernels

PLACES = [TopicPartition("t", index) for index in range(3)]
START_MS = 1_000_000

configs = st.builds(
    LogConfig,
    segment_bytes=st.sampled_from([150, 400, 2000]),
    segment_index_bytes=st.sampled_from([24, 1 << 20]),
    index_interval_bytes=st.sampled_from([0, 200]),
    retention_bytes=st.sampled_from([0, 300, 1500]),
    retention_ms=st.sampled_from([-1, 20]),
    file_delete_delay_ms=st.sampled_from([0, 5]),
    flush_messages=st.sampled_from([1, 7, 1 << 62]),
    flush_ms=st.sampled_from([3, 1 << 62]),
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "write", "read", "maintain", "cut", "look up"]),
        st.sampled_from(PLACES),
        st.integers(1, 300),
    ),
    min_size=20,
    max_size=120,
)


def batch(size: int, now_ms: int) -> memoryview:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for _ in range(1 + size % 3):
        builder.append(now_ms, None, bytes(size))
    return memoryview(builder.build())


@contextmanager
def managed(config: LogConfig, most_open_files: int) -> Iterator[LogManager]:
    with tempfile.TemporaryDirectory() as directory:
        disk = RealDisk(most_open_files)
        settings = LogSettings(1, [directory], 10, 15)
        logs = LogManager(disk, SystemClock(), SystemEntropy(), settings, lambda _: config)
        assert not logs.open()
        for place in PLACES:
            logs.create(place, bytes(15) + b"\1", config)
        yield logs
        assert not logs.close()
        disk.close()


@settings(deadline=None, max_examples=30)  # syncs take as long as they take
@given(config=configs, most_open_files=st.sampled_from([3, 6, 50]), steps=steps)
def test_it_is_never_without_a_leader(
    config: LogConfig, most_open_files: int, steps: list[tuple[str, TopicPartition, int]]
) -> None:
    with managed(config, most_open_files) as logs:
        now_ms = START_MS
        for step, place, number in steps:
            log = logs.get(place)
            assert log is not None
            match step:
                case "append":
                    # However small segments are.
                    made = batch(number, now_ms)
                    log.append(made, leader_epoch=0, now_ms=now_ms, internal=True)
                case "write":
                    log.write_pending()
                case "read":
                    offset = max(log.start_offset, log.written_end - number % 7)
                    found = log.read(offset, number, max_offset=log.written_end, min_one=True)
                    if found.records is not None:
                        region = found.records
                        assert len(region.file.read(region.position, region.size)) == region.size
                case "maintain":
                    now_ms += 11
                    problems = [event for event in logs.maintain(now_ms) if event.problem]
                    assert not problems
                case "cut":
                    log.delete_before(min(log.start_offset + number % 5, log.written_end))
                case _:
                    log.offset_for_timestamp(now_ms - number)
            assert log.failure is None
