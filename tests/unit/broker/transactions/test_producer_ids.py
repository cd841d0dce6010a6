import json

import pytest

from barnabas.broker.transactions.producer_ids import BLOCK, PATH, ProducerIdPending, ProducerIds
from barnabas.errors import ErrorCode
from sim.world.zookeeper import SimulatedZooKeeper
from tests.unit.broker.in_memory import MemoryRegistry


def test_a_block_is_written_down_before_it_is_used() -> None:
    registry = MemoryRegistry()
    ids = ProducerIds(registry, node_id=4)
    assert ids.next() == 0
    node = registry.get(PATH)
    assert node is not None
    assert json.loads(node[0]) == {
        "version": 1,
        "broker": 4,
        "block_start": "0",
        "block_end": "999",
    }


def test_a_new_block_follows_the_last_id() -> None:
    registry = MemoryRegistry()
    ids = ProducerIds(registry, node_id=4)
    assert [ids.next() for _ in range(1001)] == list(range(1001))
    node = registry.get(PATH)
    assert node is not None
    assert json.loads(node[0])["block_end"] == "1999"


def test_the_node_that_kafka_makes_without_a_block_is_the_start() -> None:
    registry = MemoryRegistry()
    registry.set(PATH, b"", -1)
    assert ProducerIds(registry, node_id=4).next() == 0


def test_the_next_block_of_a_shared_registry_is_there_before_it_is_needed() -> None:
    session = SimulatedZooKeeper().session()
    ids = ProducerIds(session, 4, session)
    assert [ids.next() for _ in range(BLOCK - 100)] == [*range(BLOCK - 100)]
    session.withheld = []
    assert [ids.next() for _ in range(100)] == [*range(BLOCK - 100, BLOCK)]
    assert len(session.withheld) == 1
    with pytest.raises(ProducerIdPending) as refused:
        ids.next()
    # Clients try again, and the broker does not ask twice.
    assert (refused.value.code, len(session.withheld)) == (
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        1,
    )
    session.answer()
    assert ids.next() == BLOCK


def test_a_block_that_could_not_be_claimed_is_asked_for_by_the_next_producer() -> None:
    session = SimulatedZooKeeper().session()
    session.reachable = False
    ids = ProducerIds(session, 4, session)
    with pytest.raises(ProducerIdPending):
        ids.next()
    session.reachable = True
    assert ids.next() == 0
