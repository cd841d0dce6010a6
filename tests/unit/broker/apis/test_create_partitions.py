import pytest

from barnabas.broker.apis.create_partitions import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from tests.unit.broker.in_memory import a_broker, answered, asked


@pytest.fixture
def broker() -> Broker:
    made = a_broker()
    made.topics.create("dogs", {0: [1], 1: [1]}, {})
    return made


def enlarge(
    broker: Broker,
    name: str,
    count: int,
    assigned: list[list[int]] | None = None,
    *,
    validate: bool = False,
    times: int = 1,
) -> int:
    assignments = None
    if assigned is not None:
        assignments = [CreatePartitionsAssignment(broker_ids=ids) for ids in assigned]
    topic = CreatePartitionsTopic(name=name, count=count, assignments=assignments)
    request = CreatePartitionsRequest(topics=[topic] * times, timeout_ms=1, validate_only=validate)
    return (
        answered(broker, handle(broker, asked(3), request), CreatePartitionsResponse)
        .results[0]
        .error_code
    )


def count(broker: Broker) -> int:
    topic = broker.topics.get("dogs")
    assert topic is not None
    return len(topic.partitions)


def test_a_topic_gets_more_partitions(broker: Broker) -> None:
    assert enlarge(broker, "dogs", 5) == ErrorCode.NONE
    assert count(broker) == 5
    assert enlarge(broker, "dogs", 6, [[1]]) == ErrorCode.NONE
    assert count(broker) == 6


def test_validation_changes_nothing(broker: Broker) -> None:
    assert enlarge(broker, "dogs", 5, validate=True) == ErrorCode.NONE
    assert count(broker) == 2


@pytest.mark.parametrize(
    ("name", "total", "assigned", "code"),
    [
        ("cats", 5, None, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("dogs", 2, None, ErrorCode.INVALID_PARTITIONS),
        ("dogs", 1, None, ErrorCode.INVALID_PARTITIONS),
        ("dogs", 4, [[1]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ("dogs", 3, [[9]], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_what_cannot_be_is_refused(
    broker: Broker, name: str, total: int, assigned: list[list[int]] | None, code: ErrorCode
) -> None:
    assert enlarge(broker, name, total, assigned) == code
    assert count(broker) == 2


def test_a_request_makes_at_most_ten_thousand_partitions(broker: Broker) -> None:
    assert enlarge(broker, "dogs", 10_003) == ErrorCode.POLICY_VIOLATION
    assert enlarge(broker, "dogs", 2**31 - 1, validate=True) == ErrorCode.POLICY_VIOLATION
    assert count(broker) == 2
    assert enlarge(broker, "dogs", 10_002) == ErrorCode.NONE


def test_the_topics_of_a_request_are_counted_together(broker: Broker) -> None:
    broker.topics.create("cats", {0: [1]}, {})
    broker.topics.create("cows", {0: [1]}, {})
    totals = {"dogs": 9002, "cats": 1002, "cows": 1001}
    topics = [
        CreatePartitionsTopic(name=name, count=total, assignments=None)
        for name, total in totals.items()
    ]
    request = CreatePartitionsRequest(topics=topics, timeout_ms=1, validate_only=False)
    answer = answered(broker, handle(broker, asked(3), request), CreatePartitionsResponse)
    codes = {one.name: one.error_code for one in answer.results}
    assert codes == {"dogs": 0, "cats": ErrorCode.POLICY_VIOLATION, "cows": 0}
    assert {one.name: len(one.partitions) for one in broker.topics} == totals | {"cats": 1}


def test_a_topic_that_is_there_twice_stays(broker: Broker) -> None:
    assert enlarge(broker, "dogs", 5, times=2) == ErrorCode.INVALID_REQUEST
    assert count(broker) == 2
