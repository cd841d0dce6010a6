"""A replica that leads: which requests complete when more of its log may be read."""

from collections.abc import Hashable

import pytest

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.leader_role import LeaderRole, LeaderRolePorts, tick_leaders
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.role import OFFLINE
from barnabas.errors import StorageError
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.replication.leader import Leadership, Limits
from barnabas.runtime.clock import SystemClock
from barnabas.types import NodeId, TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels

LEADER, FOLLOWER = NodeId(1), NodeId(2)


class FollowersFetch:
    """Waits as the fetch of a follower does: for a partition; notes how far the log counts."""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.ends: list[int] = []

    def happened(self, key: Hashable, amount: int) -> bool:
        del key, amount
        return True

    def finish(self, *, is_late: bool) -> bool:
        self.ends.append(self.partition.log.written_end)
        return is_late


def led(number: int) -> Partition:
    """A partition of a disk of its own, and its role."""
    place = TopicPartition("dogs", number)
    partition = Partition(open_log(MemoryDisk(), place, "/dogs", LogConfig()), number, OFFLINE)
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    leadership = Leadership(LEADER, 0, 0, frozenset({LEADER}), (LEADER, FOLLOWER))
    ports = LeaderRolePorts(SystemClock(), purgatory, lambda *_proposed: None)
    partition.role = LeaderRole(partition, leadership, Limits(), ports)
    return partition


def test_leaders_of_many_partitions_look_who_lags_in_steps() -> None:
    """A broker that leads 10,000 partitions held up its clients for 0.3 s every second."""
    partitions = [led(number) for number in range(5)] * 100
    asked: list[str] = []

    def limits_of(topic: str) -> Limits:
        asked.append(topic)
        return Limits(min_insync_replicas=7)

    done = [len(asked) for _ in tick_leaders(partitions, limits_of)]
    assert done == [200, 400]
    assert len(asked) == 500
    roles = [partition.role for partition in partitions]
    assert all(isinstance(role, LeaderRole) for role in roles)
    assert {role.leader.limits for role in roles if isinstance(role, LeaderRole)} == {
        Limits(min_insync_replicas=7)
    }


def test_whoever_leads_no_more_is_not_asked() -> None:
    partition = led(0)
    assert isinstance(partition.role, LeaderRole)
    partition.role.is_over = True
    for _ in tick_leaders([partition], lambda _: pytest.fail("it is over")):
        pass


def test_with_flush_messages_a_followers_fetch_is_woken_by_the_sync() -> None:
    disk = MemoryDisk()
    config = LogConfig(flush_messages=1)
    partition = Partition(open_log(disk, TopicPartition("dogs", 0), "/dogs-0", config), 0, OFFLINE)
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    both = frozenset({LEADER, FOLLOWER})
    leadership = Leadership(LEADER, 0, 0, both, (LEADER, FOLLOWER))
    ports = LeaderRolePorts(SystemClock(), purgatory, lambda *_proposed: None)
    partition.role = LeaderRole(partition, leadership, Limits(), ports)
    fetch = FollowersFetch(partition)
    purgatory.park(fetch, [partition], 60.0, Pending())
    partition.append(memoryview(make_batch(3)), 0)
    partition.write()
    assert partition.log.written_end == 0
    disk.end_syncs()
    assert fetch.ends == [3]


def test_a_leader_epoch_older_than_the_logs_is_refused() -> None:
    """ZooKeeper restored from a backup: other partitions of the same LeaderAndIsr are served."""
    log = open_log(MemoryDisk(), TopicPartition("dogs", 0), "/dogs", LogConfig())
    log.lead(50)
    partition = Partition(log, 0, OFFLINE)
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    leadership = Leadership(LEADER, 3, 0, frozenset({LEADER}), (LEADER, FOLLOWER))
    ports = LeaderRolePorts(SystemClock(), purgatory, lambda *_proposed: None)
    with pytest.raises(StorageError, match="older than the log"):
        LeaderRole(partition, leadership, Limits(), ports)
    assert log.epochs.latest == 50
