"""Acknowledgement: what a produce request is answered."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.acknowledgement import ALL, acknowledgement, refuse_append
from barnabas.replication.events import Appended, FollowerFetched, PartitionChanged, Ticked
from barnabas.replication.leader import Leader, Leadership, Limits
from barnabas.replication.watermark import LogOffsets
from barnabas.types import NodeId
from tests.memory_disk import MemoryDisk

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
BOTH = frozenset({ONE, TWO})


def lead(isr: frozenset[NodeId], limits: Limits) -> Leader:
    """Leader 1 with an empty log, and a record in it."""
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    epochs.replace([(0, 0)])
    leadership = Leadership(ONE, 0, 0, isr, (ONE, TWO, THREE))
    leader = Leader(leadership, LogOffsets(0, 0, 0), epochs, limits, now_ms=0)
    leader.step(Appended(1, 0))
    return leader


@pytest.mark.parametrize("acks", [0, 1])
def test_the_leader_alone_is_not_waited_for(acks: int) -> None:
    leader = lead(BOTH, Limits(3))
    assert refuse_append(leader, acks) is ErrorCode.NONE
    assert acknowledgement(leader, acks, 1) is ErrorCode.NONE


def test_all_in_sync_are_waited_for() -> None:
    leader = lead(BOTH, Limits(2))
    assert refuse_append(leader, ALL) is ErrorCode.NONE
    assert acknowledgement(leader, ALL, 1) is None
    leader.step(FollowerFetched(TWO, 1, 0, 0))
    assert acknowledgement(leader, ALL, 1) is ErrorCode.NONE


def test_too_few_in_sync_store_nothing() -> None:
    leader = lead(BOTH, Limits(3))
    assert refuse_append(leader, ALL) is ErrorCode.NOT_ENOUGH_REPLICAS


def test_too_few_in_sync_after_the_append() -> None:
    leader = lead(BOTH, Limits(2, strict_min_isr=False))
    assert refuse_append(leader, ALL) is ErrorCode.NONE
    leader.step(PartitionChanged(frozenset({ONE}), (ONE, TWO, THREE), 0, 1, 0))
    assert acknowledgement(leader, ALL, 1) is None  # The other one may come back in time.
    leader.step(Ticked(30_001))
    assert acknowledgement(leader, ALL, 1) is ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND


def test_a_strict_leader_waits_instead() -> None:
    leader = lead(BOTH, Limits(2))
    leader.step(PartitionChanged(frozenset({ONE}), (ONE, TWO, THREE), 0, 1, 0))
    assert acknowledgement(leader, ALL, 1) is None


def test_more_than_one_wait_for_so_many() -> None:
    leader = lead(BOTH | {THREE}, Limits())
    assert acknowledgement(leader, 2, 1) is None
    leader.step(FollowerFetched(THREE, 1, 0, 0))
    assert acknowledgement(leader, 2, 1) is ErrorCode.NONE
    assert acknowledgement(leader, 3, 1) is None


def test_never_for_more_than_are_in_sync() -> None:
    """Seed 002: "the server will never wait for more acknowledgements than there are in-sync replicas"."""
    leader = lead(BOTH, Limits())
    assert acknowledgement(leader, 3, 1) is None
    leader.step(FollowerFetched(TWO, 1, 0, 0))
    assert acknowledgement(leader, 3, 1) is ErrorCode.NONE
    assert acknowledgement(lead(frozenset({ONE}), Limits()), 100, 1) is ErrorCode.NONE


def test_who_is_not_in_sync_does_not_count() -> None:
    leader = lead(BOTH, Limits())
    leader.step(FollowerFetched(THREE, 1, 0, 0))
    assert acknowledgement(leader, 2, 1) is None
