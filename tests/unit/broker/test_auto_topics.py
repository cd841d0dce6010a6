import logging

import pytest

from barnabas.broker.auto_topics import create_missing
from tests.unit.broker.in_memory import a_broker


def test_a_topic_gets_the_brokers_number_of_partitions() -> None:
    made = create_missing(a_broker({"num.partitions": 3}), "dogs")
    assert made is not None
    assert made.partitions == {0: [1], 1: [1], 2: [1]}


def test_too_many_partitions_are_not_made_unasked(caplog: pytest.LogCaptureFixture) -> None:
    broker = a_broker({"num.partitions": 2**31 - 1})
    with caplog.at_level(logging.WARNING):
        assert create_missing(broker, "dogs") is None
    assert list(broker.topics) == []
    assert "POLICY_VIOLATION" in str(vars(caplog.records[0])["error"])
