"""After a restart, a producer may send again all that it had on its way, over the edge of segments too."""

from pathlib import Path

import pytest

from barnabas.errors import ErrorCode
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.record_batches import make_batch

CONFIG = LogConfig(segment_bytes=2500)


def opened(path: Path, checkpoint: Checkpoint) -> PartitionLog:
    return open_log(RealDisk(), TopicPartition("dogs", 0), str(path), CONFIG, checkpoint)


def sent(producer: int, number: int) -> memoryview:
    return memoryview(make_batch(2, size=1000, producer=(producer, 0, 2 * number)))


@pytest.mark.parametrize("clean", [True, False])
def test_the_last_five_batches_are_known_after_a_restart(tmp_path: Path, *, clean: bool) -> None:
    log = opened(tmp_path, Checkpoint())
    for number in range(6):
        for producer in (9, 8):
            log.append(sent(producer, number), leader_epoch=0, now_ms=0)
    log.write_pending()
    log.close(clean=clean)
    again = opened(tmp_path, Checkpoint(clean=clean))
    for producer in (9, 8):
        for number in range(1, 6):
            info = again.append(sent(producer, number), leader_epoch=0, now_ms=0)
            first = 4 * number + 2 * (9 - producer)
            assert info.duplicate
            assert (info.base_offset, info.last_offset) == (first, first + 1)
        with pytest.raises(RefusedRecords) as refused:
            again.append(sent(producer, 0), leader_epoch=0, now_ms=0)
        assert refused.value.code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert again.append(sent(producer, 6), leader_epoch=0, now_ms=0).duplicate is False
