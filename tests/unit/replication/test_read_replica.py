"""ReadReplica: consumers read in their rack."""

from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.events import FollowerFetched
from barnabas.replication.leader import Leader, Leadership, Limits
from barnabas.replication.read_replica import read_replica
from barnabas.replication.watermark import LogOffsets
from barnabas.types import NodeId
from tests.memory_disk import MemoryDisk

ONE, TWO, THREE, FOUR = map(NodeId, (1, 2, 3, 4))
RACKS = {ONE: "a", TWO: "b", THREE: "b", FOUR: "c"}


def lead() -> Leader:
    """Leader 1 with ten records; 2 and 3 are in sync and have fetched, 4 is not in sync."""
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    epochs.replace([(0, 0)])
    leadership = Leadership(ONE, 0, 0, frozenset({ONE, TWO, THREE}), (ONE, TWO, THREE, FOUR))
    leader = Leader(leadership, LogOffsets(0, 10, 0), epochs, Limits(), now_ms=0)
    leader.step(FollowerFetched(TWO, 8, now_ms=5, log_start=2))
    leader.step(FollowerFetched(THREE, 9, now_ms=1, log_start=4))
    leader.step(FollowerFetched(FOUR, 10, now_ms=1, log_start=0))
    return leader


def test_the_furthest_in_the_rack() -> None:
    assert read_replica(lead(), RACKS, "b", 5) == THREE


def test_only_who_has_the_offset() -> None:
    assert read_replica(lead(), RACKS, "b", 3) == TWO
    assert read_replica(lead(), RACKS, "b", 1) == ONE
    assert read_replica(lead(), RACKS, "b", 10) == ONE


def test_only_who_is_in_sync_and_alive() -> None:
    assert read_replica(lead(), RACKS, "c", 5) == ONE
    assert read_replica(lead(), {ONE: "a", TWO: "b"}, "b", 5) == TWO


def test_the_leader_in_its_own_rack_and_for_who_names_none() -> None:
    assert read_replica(lead(), RACKS, "a", 5) == ONE
    assert read_replica(lead(), RACKS, "", 5) == ONE
