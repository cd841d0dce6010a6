"""Offsets by timestamp of few partitions and of many, on logs as they are on disk."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis.list_offsets import handle
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Stepping, at_once
from barnabas.errors import ErrorCode
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.runtime.clock import SystemClock
from tests.unit.broker.in_memory import asked
from tests.unit.broker.replicas.test_replica_manager import produce, replicas_of
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels

VERSION = 10
LATEST = -1
MANY = 100
MISSING = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    """It has a topic `dogs` of two records; each step takes longer than a turn should."""
    replicas = replicas_of(tmp_path, "dogs")
    at_once(replicas.append(produce("dogs")))
    timers = ManualTimers()
    stepping = Stepping(replicas.write, timers, count().__next__)
    broker = SimpleNamespace(
        replicas=replicas, timers=timers, stepping=stepping, clock=SystemClock()
    )
    return cast("Broker", broker)


def a_request(timestamp: int, count: int = MANY) -> ListOffsetsRequest:
    """Of a partition that is there and one that is not, again and again."""
    partitions = [
        ListOffsetsPartition(partition_index=one % 2, timestamp=timestamp) for one in range(count)
    ]
    topic = ListOffsetsTopic(name="dogs", partitions=partitions)
    return ListOffsetsRequest(replica_id=-1, topics=[topic])


def offsets(answer: object) -> list[int]:
    assert isinstance(answer, ListOffsetsResponse)
    (topic,) = answer.topics
    assert [one.error_code for one in topic.partitions[1::2]] == [MISSING] * (MANY // 2)
    return [one.offset for one in topic.partitions[::2]]


@pytest.mark.parametrize(("timestamp", "found"), [(LATEST, 2), (1, 0)])
def test_many_are_looked_up_in_steps_in_the_order_of_the_request(
    broker: Broker, timestamp: int, found: int
) -> None:
    outcome = handle(broker, asked(VERSION), a_request(timestamp))
    assert isinstance(outcome, Pending)
    answers: list[object] = []
    outcome.on_done(answers.append)
    timers = cast("ManualTimers", broker.timers)
    turns = 0
    while timers.next:
        assert not answers
        timers.next.pop(0)()
        turns += 1
    assert turns > 3
    (answer,) = answers
    assert offsets(answer) == [found] * (MANY // 2)


def test_a_timestamp_that_a_version_does_not_know_is_refused(broker: Broker) -> None:
    outcome = handle(broker, asked(7), a_request(-4, 1))
    cast("ManualTimers", broker.timers).run_soon()
    (topic,) = outcome.outcome.topics
    assert [one.error_code for one in topic.partitions] == [ErrorCode.UNSUPPORTED_VERSION]
