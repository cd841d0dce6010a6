"""Segments of Kafka 0.7 opened after a stop: in order, or cut off in the middle of a message."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.log.directories.checkpoints import NO_CHECKPOINT, Checkpoint
from barnabas.log.directories.partition_metadata import encode_topic_id
from barnabas.log.file_names import PARTITION_METADATA
from barnabas.log.partition.byte_reading import region_from
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import MAGIC_07, LogConfig
from barnabas.records.messages07.message07 import encode_message
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.wires.golden07 import GZIPPED, M0, M1

pytestmark = pytest.mark.kernels

CLEAN = Checkpoint(clean=True)
DIRECTORY = "logs/t-0"
FIRST, SECOND = f"{0:020d}.kafka", f"{len(M1 + M0):020d}.kafka"


def opened(
    files: dict[str, bytes], checkpoint: Checkpoint = NO_CHECKPOINT
) -> tuple[PartitionLog, MemoryDisk]:
    disk = MemoryDisk()
    disk.make_directory(DIRECTORY)
    for name, data in files.items():
        disk.write_file(f"{DIRECTORY}/{name}", data)
    # The format of the topic is unknown.
    return open_log(disk, TopicPartition("t", 0), DIRECTORY, LogConfig(), checkpoint), disk


def content(log: PartitionLog) -> bytes:
    found, at = b"", log.start_offset
    while at < log.end_offset:
        code, region = region_from(log, at, 1 << 20)
        assert not code
        assert region is not None
        found += region.read()
        at += region.size
    return found


@pytest.mark.parametrize("checkpoint", [NO_CHECKPOINT, CLEAN])
def test_a_directory_of_kafka_07_is_known_by_its_files(checkpoint: Checkpoint) -> None:
    log, _ = opened({FIRST: M1 + M0, SECOND: GZIPPED + M1}, checkpoint)
    assert log.config.magic == MAGIC_07
    assert (log.start_offset, log.end_offset) == (0, 89)
    assert content(log) == M1 + M0 + GZIPPED + M1
    assert log.losses.bytes == 0


def test_one_of_jafka_gets_the_names_of_kafka() -> None:
    log, disk = opened({FIRST.replace("kafka", "jafka"): M1, "notes.txt": b"kept"}, CLEAN)
    assert content(log) == M1
    assert {FIRST, "notes.txt"} <= set(disk.list(DIRECTORY))


def test_segments_of_fewer_digits_are_read_too() -> None:
    log, disk = opened({"0.kafka": M1 + M0, "0029.jafka": GZIPPED, "1x.kafka": b"no"}, CLEAN)
    assert content(log) == M1 + M0 + GZIPPED
    assert {FIRST, SECOND, "1x.kafka"} <= set(disk.list(DIRECTORY))


def test_of_two_segments_that_begin_at_one_byte_the_one_of_the_right_name_is_kept() -> None:
    log, disk = opened({FIRST: M1, "0.kafka": M0}, CLEAN)
    assert content(log) == M1
    assert disk.read_file(f"{DIRECTORY}/0.kafka") == M0


@pytest.mark.parametrize("cut", range(1, len(M1)))
def test_a_torn_tail_is_cut_off(cut: int) -> None:
    log, _ = opened({FIRST: M1 + M0, SECOND: GZIPPED + M1[:cut]})
    assert content(log) == M1 + M0 + GZIPPED
    assert log.losses.bytes == cut


@pytest.mark.parametrize(
    "damage",
    [
        M1[:-1] + b"!",
        M1[:4] + b"\x09" + M1[5:],
        b"\xff\xff\xff\xff" + M1[4:],
        bytes(15),
        b"\x00\x00\x00\x05\x01" + M1[5:],
    ],
)
def test_what_is_behind_damage_goes(damage: bytes) -> None:
    log, _ = opened({FIRST: M1 + damage + M1})
    assert content(log) == M1
    assert log.losses.bytes == len(damage + M1)


def test_older_segments_are_trusted() -> None:
    """As by Kafka 0.7, which syncs a segment before it begins the next."""
    damaged = M1[:-1] + b"!" + M0
    log, _ = opened({FIRST: damaged, SECOND: M1})
    assert content(log) == damaged + M1


def test_older_segments_of_our_own_are_not() -> None:
    """They are synced later, and were not yet if no checkpoint is there."""
    metadata = {PARTITION_METADATA: encode_topic_id(bytes(range(16)))}
    log, _ = opened({FIRST: M1 + M0[:-1] + b"!", SECOND: M1, **metadata})
    assert content(log) == M1


def test_messages_larger_than_a_piece_are_found() -> None:
    large = encode_message(bytes(3 << 20))
    log, _ = opened({FIRST: M1 + large + M0 + large[:-1]})
    assert log.end_offset == len(M1 + large + M0)


@pytest.mark.parametrize("checkpoint", [NO_CHECKPOINT, CLEAN])
def test_a_missing_segment_is_reported_and_nobody_waits_in_the_hole(checkpoint: Checkpoint) -> None:
    """Nothing and no error, as at the end, would have a consumer of 0.7 wait there for ever."""
    third = f"{len(M1) * 3:020d}.kafka"
    log, _ = opened({FIRST: M1, third: M1}, checkpoint)
    assert [note for note in log.losses.notes if "the bytes 15 to 44 are missing" in note]
    hole = [region_from(log, at, 100)[0] for at in (14, 15, 44, 45, 60)]
    out = ErrorCode.OFFSET_OUT_OF_RANGE
    assert hole == [ErrorCode.NONE, out, out, ErrorCode.NONE, ErrorCode.NONE]
