from typing import cast

import pytest

from barnabas.broker.apis.describe_topic_partitions import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from tests.unit.broker.in_memory import Led, Replicas, a_broker, answered, asked


@pytest.fixture
def broker() -> Broker:
    made = a_broker()
    for name, count in {"a": 3, "b": 2}.items():
        made.topics.create(name, {index: [1] for index in range(count)}, {})
        for index in range(count):
            cast("Replicas", made.replicas)[name, index] = Led()
    return made


def page(
    broker: Broker, *names: str, limit: int = 2000, cursor: Cursor | None = None
) -> DescribeTopicPartitionsResponse:
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=cursor,
    )
    return answered(broker, handle(broker, asked(0), request), DescribeTopicPartitionsResponse)


def reported(response: DescribeTopicPartitionsResponse) -> list[tuple[str | None, list[int]]]:
    return [
        (topic.name, [one.partition_index for one in topic.partitions]) for topic in response.topics
    ]


def test_all_topics_come_in_order(broker: Broker) -> None:
    whole = page(broker)
    assert reported(whole) == [("a", [0, 1, 2]), ("b", [0, 1])]
    assert whole.next_cursor is None
    partition = whole.topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch, partition.isr_nodes) == (1, 3, [1])


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_pages_follow_each_other_without_gap_or_repetition(broker: Broker, limit: int) -> None:
    seen: list[tuple[str | None, int]] = []
    cursor: Cursor | None = None
    for _ in range(6):
        one = page(broker, limit=limit, cursor=cursor)
        found = [(name, index) for name, indexes in reported(one) for index in indexes]
        assert len(found) <= limit
        seen += found
        cursor = one.next_cursor
        if cursor is None:
            break
    assert seen == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)]


def test_topics_that_are_not_there_are_named(broker: Broker) -> None:
    answer = page(broker, "b", "zz", "a b")
    assert [(one.name, one.error_code) for one in answer.topics] == [
        ("a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("b", 0),
        ("zz", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]


def test_a_partition_whose_log_failed_has_no_leader(broker: Broker) -> None:
    cast("Replicas", broker.replicas)["b", 1].log.failure = OSError("gone")
    _, failed = page(broker, "b").topics[0].partitions
    assert (failed.error_code, failed.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
    assert failed.offline_replicas == [1]


@pytest.mark.parametrize(
    "cursor",
    [Cursor(topic_name="a", partition_index=-1), Cursor(topic_name="c", partition_index=0)],
)
def test_a_cursor_that_no_page_ended_with_is_refused(broker: Broker, cursor: Cursor) -> None:
    refused = page(broker, "a", "b", cursor=cursor)
    assert reported(refused) == [("a", []), ("b", [])]
    assert {one.error_code for one in refused.topics} == {ErrorCode.INVALID_REQUEST}
