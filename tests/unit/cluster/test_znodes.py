"""Znodes: paths and JSON, as Kafka writes them."""

import json

import pytest

from barnabas.cluster.image import NO_LEADER, PartitionState, Topic
from barnabas.cluster.znodes import (
    decode_state,
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


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"leader":1}', b"\xff"])
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
