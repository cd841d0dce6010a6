"""The description of a consumer group while its members give back, and when an operator takes some out."""

from collections.abc import Iterator

import pytest

from barnabas.protocol.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

CONFIG = {"group.consumer.assignment.interval.ms": "0", "offsets.topic.num.partitions": "1"}


@pytest.fixture
def client() -> Iterator[RawClient]:
    with EmbeddedBroker(CONFIG) as broker:
        broker.create_topic("dogs", partitions=4)
        with RawClient(broker.port) as client:
            yield client


def beat(client: RawClient, name: str, epoch: int, instance: str | None = None) -> int:
    first = epoch == 0
    asked = ConsumerGroupHeartbeatRequest(
        group_id="kennel",
        member_id=name,
        member_epoch=epoch,
        instance_id=instance,
        rebalance_timeout_ms=60_000 if first else -1,
        subscribed_topic_names=["dogs"] if first else None,
        topic_partitions=[] if first else None,
    )
    response = client.ask(asked, 1, ConsumerGroupHeartbeatResponse)
    assert not response.error_code
    return response.member_epoch


def described(client: RawClient) -> DescribedGroup:
    asked = ConsumerGroupDescribeRequest(group_ids=["kennel"], include_authorized_operations=False)
    return client.ask(asked, 1, ConsumerGroupDescribeResponse).groups[0]


def test_what_is_still_to_be_given_back_is_had(client: RawClient) -> None:
    epoch = beat(client, "ann", 0)
    beat(client, "bob", 0)
    beat(client, "ann", epoch)
    ann, bob = sorted(described(client).members, key=lambda one: one.member_id)
    assert ann.assignment.topic_partitions[0].partitions == [0, 1, 2, 3]
    assert len(ann.target_assignment.topic_partitions[0].partitions) == 2
    assert not bob.assignment.topic_partitions


def test_a_member_that_is_away_can_be_taken_out(client: RawClient) -> None:
    beat(client, "ann", 0, "a")
    beat(client, "ann", -2, "a")
    leaver = MemberIdentity(member_id="", group_instance_id="a")
    asked = LeaveGroupRequest(group_id="kennel", members=[leaver])
    assert [one.error_code for one in client.ask(asked, 5, LeaveGroupResponse).members] == [0]
    group = described(client)
    assert (group.group_state, len(group.members)) == ("Empty", 0)


def test_an_expression_finds_internal_topics(client: RawClient) -> None:
    asked = ConsumerGroupHeartbeatRequest(
        group_id="kennel",
        member_id="ann",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_regex="__consumer_off.*",
        topic_partitions=[],
    )
    # The topic is there once somebody is in a group.
    beat(client, "bob", 0)
    assert not client.ask(asked, 1, ConsumerGroupHeartbeatResponse).error_code
    names = {
        place.topic_name
        for member in described(client).members
        for place in member.target_assignment.topic_partitions
    }
    assert names == {"dogs", "__consumer_offsets"}
