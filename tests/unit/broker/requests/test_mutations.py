"""The quota of changed partitions, as clients of old and new versions meet it."""

from typing import cast

import pytest

from barnabas.broker.apis import create_partitions, create_topics, delete_topics
from barnabas.broker.broker import Broker
from barnabas.broker.quotas.quotas import MUTATION
from barnabas.errors import ErrorCode
from barnabas.protocol.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from barnabas.wire.schema import NO_UUID
from tests.unit.broker.changes import change_client_quotas
from tests.unit.broker.in_memory import StillClock, a_broker, answered, asked


@pytest.fixture
def broker() -> Broker:
    """May change eleven partitions at once, and then one a second."""
    made = a_broker()
    change_client_quotas(made, "me", {MUTATION: 1.0})
    return made


def create(
    broker: Broker, name: str, partitions: int, version: int, *, only: bool = False
) -> tuple[int, int]:
    topic = CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
    )
    request = CreateTopicsRequest(topics=[topic], validate_only=only)
    outcome = create_topics.handle(broker, asked(version), request)
    given = answered(broker, outcome, CreateTopicsResponse)
    return given.topics[0].error_code, given.throttle_time_ms


def test_who_knows_the_quota_is_refused_and_may_come_again(broker: Broker) -> None:
    assert create(broker, "a", 14, 6) == (0, 0)
    assert create(broker, "b", 1, 6) == (ErrorCode.THROTTLING_QUOTA_EXCEEDED, 3000)
    assert create(broker, "b", 1, 6, only=True) == (0, 0)
    cast("StillClock", broker.clock).seconds += 3
    assert create(broker, "b", 1, 6) == (0, 0)


def test_who_does_not_know_it_waits_afterwards(broker: Broker) -> None:
    assert create(broker, "a", 14, 5) == (0, 3000)
    assert create(broker, "b", 1, 5) == (0, 4000)


def test_it_is_about_new_partitions_and_deleted_topics_too(broker: Broker) -> None:
    create(broker, "a", 2, 6)
    grown = CreatePartitionsTopic(name="a", count=14, assignments=None)
    wanted = CreatePartitionsRequest(topics=[grown], timeout_ms=1, validate_only=False)
    outcome = create_partitions.handle(broker, asked(3), wanted)
    enlarged = answered(broker, outcome, CreatePartitionsResponse)
    assert enlarged.results[0].error_code == 0
    gone = DeleteTopicsRequest(topics=[DeleteTopicState(name="a", topic_id=NO_UUID)], timeout_ms=1)
    deleted = answered(broker, delete_topics.handle(broker, asked(6), gone), DeleteTopicsResponse)
    assert deleted.responses[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    assert deleted.throttle_time_ms == 3000
