import logging

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.requests.auto_topics import create_in_steps
from barnabas.errors import ErrorCode
from barnabas.runtime.clock import SystemClock
from barnabas.types import Topic
from tests.unit.broker.in_memory import NoLogs, a_broker


def create_missing(broker: Broker, name: str) -> Topic | ErrorCode:
    outcomes: dict[str, Topic | ErrorCode] = {}
    for _ in create_in_steps(broker, [name], outcomes):
        pass
    return outcomes[name]


def test_a_topic_gets_the_brokers_number_of_partitions() -> None:
    made = create_missing(a_broker({"num.partitions": 3}), "dogs")
    assert isinstance(made, Topic)
    assert made.partitions == {0: [1], 1: [1], 2: [1]}


def test_too_many_partitions_are_not_made_unasked(caplog: pytest.LogCaptureFixture) -> None:
    broker = a_broker({"num.partitions": 2**31 - 1})
    with caplog.at_level(logging.WARNING):
        assert create_missing(broker, "dogs") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert list(broker.topics) == []
    assert "POLICY_VIOLATION" in str(vars(caplog.records[0])["error"])


def test_one_that_another_request_is_making_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    broker = a_broker()
    broker.topics.names.add("dogs")  # As while its registry write waits for a disk.
    with caplog.at_level(logging.WARNING):
        assert create_missing(broker, "dogs") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert not caplog.records


def test_more_replicas_than_there_are_brokers_are_refused_as_where_a_client_asks() -> None:
    broker = a_broker({"default.replication.factor": 3})
    assert create_missing(broker, "dogs") is ErrorCode.INVALID_REPLICATION_FACTOR
    assert list(broker.topics) == []


@pytest.mark.parametrize(
    ("name", "count"),
    [("__consumer_offsets", 5), ("__transaction_state", 6), ("__share_group_state", 7)],
)
def test_topics_of_coordinators_are_made_as_these_make_them(name: str, count: int) -> None:
    broker = a_broker(
        {
            "num.partitions": 3,
            "offsets.topic.num.partitions": 5,
            "transaction.state.log.num.partitions": 6,
            "share.coordinator.state.topic.num.partitions": 7,
        }
    )
    clock = SystemClock()
    broker.groups = GroupShards(
        broker.topics, broker.replicas, clock, broker.config, broker.client_memory, broker.timers
    )
    made = create_missing(broker, name)
    assert isinstance(made, Topic)
    assert len(made.partitions) == count
    assert made.config["cleanup.policy"] == "compact"


def test_wide_topics_are_made_in_steps_in_which_others_may_be_first() -> None:
    broker = a_broker({"num.partitions": 100})
    outcomes: dict[str, Topic | ErrorCode] = {}
    names = ["cats", "a b", "dogs"]
    steps = create_in_steps(broker, names, outcomes)
    next(steps)
    assert outcomes == {}
    broker.topics.create("dogs", {0: [1]}, {})
    assert len(list(steps)) > 3
    assert outcomes == {
        "cats": broker.topics.get("cats"),
        "a b": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }


def test_one_whose_logs_cannot_be_made_is_taken_back(caplog: pytest.LogCaptureFixture) -> None:
    broker = a_broker()
    logs = broker.topics.hosting
    assert isinstance(logs, NoLogs)
    logs.no_room_for.add("dogs")
    with caplog.at_level(logging.WARNING):
        assert create_missing(broker, "dogs") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert list(broker.topics) == []
