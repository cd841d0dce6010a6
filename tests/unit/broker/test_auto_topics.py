import logging

import pytest

from barnabas.broker.auto_topics import create_missing
from barnabas.broker.topic_znodes import Topic
from barnabas.errors import ErrorCode
from tests.unit.broker.in_memory import a_broker


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


def test_more_replicas_than_there_are_brokers_are_refused_as_where_a_client_asks() -> None:
    broker = a_broker({"default.replication.factor": 3})
    assert create_missing(broker, "dogs") is ErrorCode.INVALID_REPLICATION_FACTOR
    assert list(broker.topics) == []
