"""A replica that copies: what it tells its leader that it has, and what it takes for committed."""

from dataclasses import replace

import pytest

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.role import OFFLINE
from barnabas.errors import StorageError
from barnabas.log.partition.fetched_appending import append_fetched
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.replication.follower import Fetched
from barnabas.replication.requests import FetchNext
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels


def following(disk: MemoryDisk, flush_messages: int) -> FollowerRole:
    """Of an empty log."""
    config = LogConfig(flush_messages=flush_messages)
    partition = Partition(open_log(disk, TopicPartition("dogs", 0), "/dogs-0", config), 0, OFFLINE)
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    return FollowerRole(partition, 0, purgatory, in_fetch=True, back_off_ms=1000)


def take(role: FollowerRole, count: int, high_watermark: int) -> None:
    """Ask, and get so many records."""
    request = role.next_request(0)
    assert isinstance(request, FetchNext)
    records = memoryview(make_batch(count, base_offset=request.offset))
    role.step(Fetched(request, request.offset + count, high_watermark, 0, 0), records)


def test_with_flush_messages_a_leader_learns_what_is_on_stable_storage() -> None:
    disk, ready = MemoryDisk(), list[bool]()
    role = following(disk, 1)
    role.on_ready = lambda: ready.append(role.awaits_flush())
    take(role, 3, 2)
    log = role.partition.log
    assert role.awaits_flush()
    assert (log.end_offset, log.written_end, log.high_watermark) == (3, 0, 0)
    disk.end_syncs()
    assert ready == [False]
    assert (log.written_end, log.high_watermark) == (3, 2)


def test_without_it_nothing_is_waited_for() -> None:
    role = following(MemoryDisk(), 1 << 60)
    take(role, 3, 2)
    assert not role.awaits_flush()
    assert role.partition.log.high_watermark == 2


def test_a_flush_that_fails_is_found_at_the_next_records() -> None:
    disk = MemoryDisk()
    role = following(disk, 1)
    take(role, 3, 0)
    disk.end_syncs(StorageError("no"))
    assert not role.awaits_flush()
    with pytest.raises(StorageError):
        take(role, 1, 0)


def test_a_topic_in_an_old_format_has_no_epochs_and_is_cut_at_the_high_watermark() -> None:
    log = open_log(MemoryDisk(), TopicPartition("dogs", 0), "/dogs-0", LogConfig())
    append_fetched(log, memoryview(make_batch(3) + make_batch(3, base_offset=3)), 0)
    log.begin_epoch(1, 6)
    log.recovered_watermark = 3
    partition = Partition(log, 0, OFFLINE)
    assert log.epochs.latest == 1
    partition.configure(replace(log.config, magic=1))
    assert log.epochs.entries() == []
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    role = FollowerRole(partition, 1, purgatory, in_fetch=True, back_off_ms=1000)
    assert log.end_offset == 3
    assert role.next_request(0) == FetchNext(1, 3, 0, -1)
