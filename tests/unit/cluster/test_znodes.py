"""Znodes: paths and JSON, as Kafka writes them."""

import json

import pytest

from barnabas.cluster.image import NO_LEADER, PartitionState, Topic
from barnabas.cluster.znodes import (
    decode_broker,
    decode_partitions,
    decode_state,
    decode_topic,
    deletion_paths,
    encode_state,
    encode_topic,
    state_path,
)
from barnabas.errors import StorageError
from barnabas.types import NodeId, TopicPartition

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
STATE = PartitionState(ONE, 3, (ONE, TWO), (ONE, TWO), 7, 4)
ASSIGNED = PartitionState(NO_LEADER, -1, (), (ONE, TWO))


def test_a_state() -> None:
    data = b'{"controller_epoch":4,"leader":1,"version":1,"leader_epoch":3,"isr":[1,2]}'
    assert encode_state(STATE) == data
    assert decode_state(data, 7, ASSIGNED) == STATE
    assert state_path(TopicPartition("dogs", 5)) == "/brokers/topics/dogs/partitions/5/state"


def test_a_state_after_an_unclean_election() -> None:
    recovering = PartitionState(ONE, 3, (ONE,), (ONE, TWO), 7, 4, recovering=True)
    data = encode_state(recovering)
    assert json.loads(data)["leader_recovery_state"] == 1
    assert decode_state(data, 7, ASSIGNED) == recovering


def state_node(**changes: object) -> bytes:
    node = {"controller_epoch": 4, "leader": 1, "version": 1, "leader_epoch": 3, "isr": [1, 2]}
    return json.dumps(node | changes).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b'{"leader":1}', b"\xff", b"[" * 100_000,
        state_node(leader=1 << 31), state_node(leader=-2), state_node(leader_epoch=1 << 31),
        state_node(leader_epoch=-1), state_node(controller_epoch=1 << 40), state_node(isr=[1 << 31]),
        state_node(isr=[-1]), state_node(isr=None),
    ],
)  # fmt: skip
def test_a_damaged_state_says_what_it_should_be(data: bytes) -> None:
    with pytest.raises(StorageError, match="leader, leader_epoch, isr"):
        decode_state(data, 0, ASSIGNED)


def test_a_topic_that_is_being_moved() -> None:
    moving = PartitionState(ONE, 3, (ONE,), (TWO, ONE), adding=(TWO,), removing=(ONE,))
    topic = Topic("dogs", bytes(15) + b"\x01", {0: moving, 1: STATE})
    assert json.loads(encode_topic(topic)) == {
        "version": 3,
        "partitions": {"0": [2, 1], "1": [1, 2]},
        "adding_replicas": {"0": [2]},
        "removing_replicas": {"0": [1]},
        "topic_id": "AAAAAAAAAAAAAAAAAAAAAQ",
    }
    old = json.loads(encode_topic(Topic("dogs", partitions={0: STATE})))
    assert (old["version"], "topic_id" in old) == (2, False)


def test_the_request_to_delete_a_topic_goes_last() -> None:
    assert deletion_paths("dogs")[-1] == "/admin/delete_topics/dogs"


@pytest.mark.parametrize(
    "changes",
    [
        {"topic_id": "abc"}, {"topic_id": "A" * 100}, {"partitions": None}, {"partitions": [1]},
        {"partitions": {"0": []}}, {"partitions": {"0": [1, 1]}}, {"partitions": {"0": [1 << 31]}},
        {"partitions": {"0": [-1]}}, {"partitions": {"0": None}}, {"partitions": {"-1": [1]}},
        {"partitions": {str(1 << 31): [1]}}, {"partitions": {"0": [1.5]}},
        {"adding_replicas": {"0": [1 << 31]}}, {"removing_replicas": [0]},
    ],
)  # fmt: skip
def test_a_damaged_topic_says_what_it_should_be(changes: dict[str, object]) -> None:
    """Numbers that fit no request would be none that any broker gets from its controller."""
    node = {"version": 3, "topic_id": "A" * 22, "partitions": {"0": [1, 2]}, "adding_replicas": {}}
    assert decode_topic("dogs", json.dumps(node).encode()).partitions[0].replicas == (1, 2)
    with pytest.raises(StorageError, match="partitions with their replicas"):
        decode_topic("dogs", json.dumps(node | changes).encode())


def test_what_is_nested_too_deep_is_damaged() -> None:
    deep = b"[" * 100_000
    with pytest.raises(StorageError, match="partitions with their replicas"):
        decode_topic("dogs", deep)
    with pytest.raises(StorageError, match="should have endpoints"):
        decode_broker(ONE, deep, 1)
    with pytest.raises(StorageError, match="should name partitions"):
        decode_partitions(deep)


@pytest.mark.parametrize("port", ["-1", str(1 << 31), ""])
def test_a_broker_without_a_port_says_so(port: str) -> None:
    with pytest.raises(StorageError, match="should have endpoints"):
        decode_broker(ONE, json.dumps({"endpoints": [f"PLAINTEXT://here:{port}"]}).encode(), 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"rack": 5}, {"rack": {"a": 1}}, {"rack": "r" * 40_000}, {"rack": "\ud800"},
        {"endpoints": ["PLAINTEXT://here:70000"]}, {"endpoints": ["PLAINTEXT://\ud800:1"]},
        {"endpoints": [f"PLAINTEXT://{'h' * 40_000}:1"]},
        {"endpoints": [f"{'L' * 40_000}://here:1"],
         "listener_security_protocol_map": {"L" * 40_000: "PLAINTEXT"}},
    ],
)  # fmt: skip
def test_a_broker_that_fits_no_request_is_damaged(changes: dict[str, object]) -> None:
    node = {"endpoints": ["PLAINTEXT://here:1"], "rack": "north"}
    assert decode_broker(ONE, json.dumps(node).encode(), 1).rack == "north"
    with pytest.raises(StorageError, match="should have endpoints"):
        decode_broker(ONE, json.dumps(node | changes).encode(), 1)


def test_a_broker_whose_number_fits_no_request_is_damaged() -> None:
    with pytest.raises(StorageError, match="should have endpoints"):
        decode_broker(NodeId(1 << 31), b'{"endpoints": ["PLAINTEXT://here:1"]}', 1)
