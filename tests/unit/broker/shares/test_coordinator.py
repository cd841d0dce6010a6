"""States of share partitions over the wire, beside members that read the partition here."""

from collections.abc import Iterator

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol import write_share_group_state as writing
from barnabas.protocol.read_share_group_state import (
    PartitionData,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateData,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient
from tests.unit.broker.shares.test_partitions import CONFIG, Member, Topic, group_of, topic

__all__ = ["topic"]

pytestmark = pytest.mark.kernels

RespondState = tuple[int, int, int, int]
"""First and last offset, their state, and how often they were delivered."""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(CONFIG) as one:
        yield one


def write(topic: Topic, start: int, *respond: RespondState) -> int:
    row = writing.PartitionData(
        partition=0,
        state_epoch=-1,
        leader_epoch=-1,
        start_offset=start,
        state_batches=[
            writing.StateBatch(
                first_offset=first, last_offset=last, delivery_state=state, delivery_count=count
            )
            for first, last, state, count in respond
        ],
    )
    rows = [writing.WriteStateData(topic_id=topic.topic_id, partitions=[row])]
    asked = writing.WriteShareGroupStateRequest(group_id=group_of(topic.topic_id), topics=rows)
    with RawClient(topic.port) as client:
        answer = client.ask(asked, 1, writing.WriteShareGroupStateResponse)
    return answer.results[0].partitions[0].error_code


def read(topic: Topic) -> tuple[int, list[RespondState]]:
    row = PartitionData(partition=0, leader_epoch=0)
    rows = [ReadStateData(topic_id=topic.topic_id, partitions=[row])]
    with RawClient(topic.port) as client:
        asked = ReadShareGroupStateRequest(group_id=group_of(topic.topic_id), topics=rows)
        answer = client.ask(asked, 0, ReadShareGroupStateResponse)
    (found,) = answer.results[0].partitions
    assert found.error_code == ErrorCode.NONE
    batches = [
        (one.first_offset, one.last_offset, one.delivery_state, one.delivery_count)
        for one in found.state_batches
    ]
    return found.start_offset, batches


def test_what_members_did_is_described(broker: EmbeddedBroker, topic: Topic) -> None:
    topic.fill(6)
    with Member(broker, "a", topic.topic_id) as member:
        member.fetch()
        assert member.say(0, 3, [1, 2, 3, 1]) == ErrorCode.NONE
        assert read(topic) == (1, [(1, 1, 0, 1), (2, 2, 4, 1), (3, 3, 2, 1)])


def test_what_another_says_counts_for_members_at_once(broker: EmbeddedBroker, topic: Topic) -> None:
    topic.fill(6)
    with Member(broker, "a", topic.topic_id) as member:
        assert member.fetch(most=2) == [(0, 1, 1)]
        assert write(topic, 2, (3, 4, 2, 1)) == ErrorCode.NONE
        assert member.fetch() == [(2, 2, 1), (5, 5, 1)]
        assert member.say(5, 5, [1]) == ErrorCode.NONE


def test_what_cannot_be_is_not_kept(topic: Topic) -> None:
    for respond in ((3, 2, 0, 1), (2, 3, 3, 1)):
        assert write(topic, 0, respond) == ErrorCode.INVALID_REQUEST
        assert read(topic) == (0, [])
