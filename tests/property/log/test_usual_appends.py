"""Batches that a kernel checks and queues, or `check_produced` and `append`: the log is the same."""

from pathlib import Path
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.errors import StorageError
from barnabas.kernels.batches.producing import queued
from barnabas.log.append_results import AppendInfo
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.checksums import crc32c
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.unit.broker.batches import batch

pytestmark = pytest.mark.kernels

NOW = 1_000_000
CONFIGS = (
    LogConfig(),
    LogConfig(segment_bytes=2_000, index_interval_bytes=100),
    LogConfig(max_message_bytes=200),
    LogConfig(message_timestamp_type="LogAppendTime"),
    LogConfig(message_timestamp_after_max_ms=5),
    LogConfig(message_timestamp_before_max_ms=5),
    LogConfig(segment_ms=100, segment_index_bytes=100, index_interval_bytes=0),
    LogConfig(cleanup_policy=frozenset({"compact"})),
)


def produced(values: list[bytes], time: int, producer: int, sequence: int, fault: str) -> bytearray:
    """One batch; of no producer where that is negative."""
    data = bytearray(batch(*values, timestamp=NOW + time))
    if producer >= 0:
        data[43:57] = pack(">qhi", producer, 0, sequence)
    data[17:21] = crc32c(bytes(data[21:])).to_bytes(4)
    if fault == "damaged":
        data[-1] ^= 1
    elif fault == "short":
        del data[40:]
    return data


BATCHES = st.builds(
    produced,
    st.lists(st.binary(max_size=100), min_size=1, max_size=4),
    st.sampled_from([0, 0, 0, 1, 4, 50, 200, -50]),
    st.sampled_from([-1, -1, 1, 2]),
    st.integers(0, 8),
    st.sampled_from(["", "", "", "", "damaged", "short"]),
)


def append(log: PartitionLog, records: memoryview, epoch: int) -> object:
    """In the ordinary way: what became of it."""
    try:
        header = check_produced(records, log.config.max_message_bytes)
        return log.append(records, leader_epoch=epoch, now_ms=NOW, header=header)
    except RefusedRecords as refused:
        return refused.code, refused.detail


def append_run(log: PartitionLog, view: memoryview, places: list[int], epoch: int) -> list[object]:
    """As far as a kernel does it, the rest in the ordinary way."""
    outcomes: list[object] = []
    while places:
        bases: list[int] = []
        queued(log, view, places, epoch, NOW, crc32c, bases)
        for base in bases:
            count = int.from_bytes(view[places[0] + 57 : places[0] + 61])
            outcomes.append(AppendInfo(base, base + count - 1, -1, log.start_offset))
            del places[:2]
        if places:
            outcomes.append(append(log, view[places[0] : places[1]], epoch))
            del places[:2]
    return outcomes


def opened(config: LogConfig) -> tuple[MemoryDisk, PartitionLog]:
    disk = MemoryDisk()
    directory = str(Path("/data/dogs-0"))
    disk.make_directory(directory)
    return disk, open_log(disk, TopicPartition("dogs", 0), directory, config)


@settings(deadline=None)
@given(
    config=st.sampled_from(CONFIGS),
    runs=st.lists(st.tuples(st.lists(BATCHES, min_size=1, max_size=6), st.integers(0, 2))),
)
def test_the_log_is_the_same(config: LogConfig, runs: list[tuple[list[bytearray], int]]) -> None:
    (disk, log), (other_disk, other) = opened(config), opened(config)
    for batches, epoch in runs:
        view = memoryview(bytearray(b"".join(batches)))
        places, end = list[int](), 0
        for one in batches:
            places += [end, end + len(one)]
            end += len(one)
        outcomes = append_run(log, view, places, epoch)
        assert outcomes == [append(other, memoryview(bytearray(one)), epoch) for one in batches]
        log.write_pending()
        other.write_pending()
        assert (log.end_offset, log.size) == (other.end_offset, other.size)
        assert log.recent.offsets == other.recent.offsets
        assert log.recent.positions == other.recent.positions
    for each in (log, other):
        each.close(clean=True)
    assert {path: bytes(file.now) for path, file in disk.files.items()} == {
        path: bytes(file.now) for path, file in other_disk.files.items()
    }


def test_a_place_outside_of_the_buffer_is_refused() -> None:
    _, log = opened(LogConfig())
    view = memoryview(bytearray(100))
    for places in ([-1, 50], [0, 101], [50, 20]):
        with pytest.raises(ValueError, match="outside"):
            queued(log, view, places, -1, NOW, crc32c, [])


def test_a_log_that_is_offline_takes_nothing() -> None:
    _, log = opened(LogConfig())
    log.fail(StorageError("no disk"))
    data = produced([b"woof"], 0, -1, 0, "")
    assert queued(log, memoryview(data), [0, len(data)], 0, NOW, crc32c, []) == 0
