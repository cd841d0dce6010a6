"""With replicas elsewhere, what is not committed is neither deleted nor compacted, however old."""

import pytest

from barnabas.log.cleaning.cleanable import find_cleanable
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import expired_segments
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels

LATER_MS = 1 << 42


def a_log(policy: str) -> PartitionLog:
    """Five segments of one record; consumers see the first two of them."""
    size = len(make_batch(1))
    config = LogConfig(
        cleanup_policy=frozenset({policy}), segment_bytes=size, retention_bytes=0, retention_ms=1
    )
    log = open_log(MemoryDisk(), TopicPartition("dogs", 0), "/dogs-0", config)
    for _ in range(5):
        log.append(memoryview(make_batch(1)), leader_epoch=0, now_ms=5_000, internal=True)
        log.write_pending()
    log.flush()
    log.on_counted = lambda _end: None
    log.high_watermark = 2
    return log


def test_old_segments_go_as_far_as_all_replicas_have_them() -> None:
    log = a_log("delete")
    assert expired_segments(log, LATER_MS) == 2
    log.high_watermark = 5
    assert expired_segments(log, LATER_MS) == 5


def test_a_log_is_compacted_as_far_as_it_is_committed() -> None:
    log = a_log("compact")
    found = find_cleanable(log, 0, LATER_MS)
    assert found.end == 2
