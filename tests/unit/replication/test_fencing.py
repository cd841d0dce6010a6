"""Fencing: what comes from an earlier time is refused."""

from barnabas.errors import ErrorCode
from barnabas.replication.fencing import check_leader_epoch, check_replica_epoch

NONE = ErrorCode.NONE


def test_leader_epochs() -> None:
    assert check_leader_epoch(-1, 5) is NONE
    assert check_leader_epoch(5, 5) is NONE
    assert check_leader_epoch(4, 5) is ErrorCode.FENCED_LEADER_EPOCH
    assert check_leader_epoch(6, 5) is ErrorCode.UNKNOWN_LEADER_EPOCH


def test_epochs_of_brokers_that_fetch() -> None:
    assert check_replica_epoch(6, 7) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert check_replica_epoch(-1, 7) is NONE
    assert check_replica_epoch(7, 7) is NONE
    assert check_replica_epoch(7, -1) is NONE
