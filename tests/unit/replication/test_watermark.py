"""The high watermark, and its checkpoint."""

from barnabas.log.directories.checkpoints import HIGH_WATERMARK, read_offsets, write_offsets
from barnabas.replication.watermark import committed, followed, recovered
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk


def test_it_is_the_smallest_end_and_grows() -> None:
    assert committed(3, 9, []) == 9
    assert committed(3, 9, [9, 5, 7]) == 5
    assert committed(6, 9, [9, 5, 7]) == 6
    assert committed(3, 9, [9, -1]) == 3


def test_a_follower_has_the_leaders_as_far_as_it_goes() -> None:
    assert followed(3, 9, 7) == 7
    assert followed(3, 5, 7) == 5
    assert followed(6, 5, 7) == 6


def test_a_checkpoint_is_believed_within_the_log() -> None:
    assert recovered(5, 2, 9) == 5
    assert recovered(-1, 2, 9) == 2
    assert recovered(12, 2, 9) == 9


def test_it_goes_through_kafkas_file() -> None:
    disk = MemoryDisk()
    dogs = TopicPartition("dogs", 0)
    write_offsets(disk, HIGH_WATERMARK, {dogs: committed(3, 9, [7])})
    assert disk.read_file(HIGH_WATERMARK) == b"0\n1\ndogs 0 7\n"
    assert recovered(read_offsets(disk, HIGH_WATERMARK)[dogs], 0, 5) == 5
