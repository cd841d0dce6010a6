"""What several connections have decided in one turn of the loop is written once, and then answered."""

from pathlib import Path

import pytest

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.end_of_turn_writes import Turn
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import walk
from barnabas.runtime.clock import SystemClock
from tests.unit.broker.replicas.test_replica_manager import read_bytes, replicas_of
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels

A_RECORD = CoordinatorRecord(b"key", b"value")


def batches(replicas: ReplicaManager) -> list[int]:
    """How many records each batch of the only partition has."""
    return [one.count for one in walk(read_bytes(replicas, "t"))]


def test_all_of_a_turn_is_one_batch_and_all_are_called_behind_it(tmp_path: Path) -> None:
    replicas, timers = replicas_of(tmp_path, "t"), ManualTimers()
    partition = replicas.find("t", 0)
    assert partition is not None
    turn = Turn(replicas, timers)
    seen: list[object] = []
    for name in ("one", "other"):
        replicas.gathering(partition).add([A_RECORD], seen.append)
        turn.when_over(lambda name=name: seen.append(name))  # type: ignore[misc]
    assert (seen, len(timers.next)) == ([], 1)
    timers.run_soon()
    assert seen == [ErrorCode.NONE, ErrorCode.NONE, "one", "other"]
    assert batches(replicas) == [2]
    turn.when_over(lambda: seen.append("next"))
    timers.run_soon()
    assert seen[-1] == "next"


class Failing(ReplicaManager):
    """Has a mistake in it."""

    def write(self) -> bool:
        raise RuntimeError("a mistake of somebody else's")


def test_who_waits_is_called_where_the_write_fails() -> None:
    timers = ManualTimers()
    replicas = Failing(SystemClock(), Purgatory(timers, lambda: 0.0, some_memory()))
    turn = Turn(replicas, timers)
    seen: list[str] = []
    turn.when_over(lambda: seen.append("called"))
    with pytest.raises(RuntimeError, match="somebody else"):
        timers.run_soon()
    assert seen == ["called"]
