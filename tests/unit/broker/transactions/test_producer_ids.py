import json

from barnabas.broker.transactions.producer_ids import PATH, ProducerIds
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
