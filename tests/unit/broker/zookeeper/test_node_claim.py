from pathlib import Path

import pytest

from barnabas.broker.zookeeper.node_claim import claim_node
from barnabas.errors import StorageError
from barnabas.runtime.files.disk import RealDisk
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper

NODE = "/brokers/ids/1"


class Patient(SimulatedSession):
    """While a broker waits for a node, its session expires."""

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        assert seconds > self.session_seconds
        self.keeper.drop(path)
        return True


@pytest.fixture
def disk() -> RealDisk:
    return RealDisk()


def test_a_broker_killed_and_back_takes_its_node_at_once(tmp_path: Path, disk: RealDisk) -> None:
    keeper, file = SimulatedZooKeeper(), str(tmp_path / "registered")
    claim_node(keeper.session(), NODE, b"first", disk, file)
    again = keeper.session()
    claim_node(again, NODE, b"second", disk, file)
    assert again.get(NODE) == (b"second", 0)
    assert again.is_mine(NODE)


def test_a_second_broker_with_the_number_is_refused(tmp_path: Path, disk: RealDisk) -> None:
    keeper = SimulatedZooKeeper()
    first = keeper.session()
    claim_node(first, NODE, b"here:9092", disk, str(tmp_path / "one"))
    with pytest.raises(
        StorageError, match=r"another broker .* here:9092; each broker needs a node.id"
    ):
        claim_node(keeper.session(), NODE, b"there:9092", disk, str(tmp_path / "two"))
    assert first.is_mine(NODE)


def test_a_node_that_may_be_a_dead_brokers_is_waited_for(tmp_path: Path, disk: RealDisk) -> None:
    keeper = SimulatedZooKeeper()
    claim_node(keeper.session(), NODE, b"of other directories", disk, str(tmp_path / "one"))
    patient = Patient(keeper, None)
    claim_node(patient, NODE, b"mine", disk, str(tmp_path / "two"))
    assert patient.is_mine(NODE)
