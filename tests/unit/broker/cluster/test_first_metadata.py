from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis import describe_cluster, metadata
from barnabas.broker.cluster.first_metadata import MOST_SECONDS, FirstArrival, FirstMetadata
from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.purgatory.pending import Pending
from barnabas.cluster.image import Broker as State
from barnabas.cluster.image import BrokerEndpoint, ClusterImage
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.types import NodeId
from tests.unit.broker.in_memory import a_broker, answered, asked
from tests.unit.runtime.manual_timers import ManualTimers


def test_all_wait_for_the_first_and_nobody_for_the_second() -> None:
    first = FirstArrival(ManualTimers())
    waiting = [first.wait(), first.wait()]
    assert [one is not None and one.is_done for one in waiting] == [False, False]
    first.arrive()
    assert [one is not None and one.is_done for one in waiting] == [True, True]
    assert first.wait() is None


def test_a_wait_without_a_controller_ends_and_the_next_one_too() -> None:
    timers = ManualTimers()
    first = FirstArrival(timers)
    for _ in range(2):
        waits_for = first.wait()
        assert waits_for is not None
        timers.advance(MOST_SECONDS / 2)
        assert not waits_for.is_done
        timers.advance(MOST_SECONDS / 2)
        assert waits_for.is_done


@pytest.mark.parametrize("of_cluster", [False, True])
def test_a_member_answers_when_its_controller_has_named_the_brokers(*, of_cluster: bool) -> None:
    broker = a_broker({})
    timers = cast("ManualTimers", broker.timers)
    member = SimpleNamespace(first_metadata=FirstMetadata(timers), image=ClusterImage())
    broker.member = cast("ClusterMember", member)
    outcome: object
    if of_cluster:
        outcome = describe_cluster.handle(
            broker, asked(0), DescribeClusterRequest(include_cluster_authorized_operations=False)
        )
    else:
        outcome = metadata.handle(broker, asked(12), MetadataRequest(topics=[]))
    assert isinstance(outcome, Pending)
    timers.run_turn()
    assert not outcome.is_done
    endpoint = BrokerEndpoint(asked(0).listener, "localhost", 9092)
    member.image = ClusterImage(brokers={NodeId(1): State(NodeId(1), (endpoint,))})
    member.first_metadata.arrive(names_topics=False)
    if of_cluster:
        brokers = [one.host for one in answered(broker, outcome, DescribeClusterResponse).brokers]
    else:
        brokers = [one.host for one in answered(broker, outcome, MetadataResponse).brokers]
    assert brokers == ["localhost"]


@pytest.mark.parametrize("names_topics", [False, True])
def test_a_topic_that_is_not_known_yet_is_waited_for_and_nobody_else_waits(
    *, names_topics: bool
) -> None:
    broker = a_broker({})
    timers = cast("ManualTimers", broker.timers)
    first = FirstMetadata(timers)
    member = SimpleNamespace(first_metadata=first, image=ClusterImage())
    broker.member = cast("ClusterMember", member)
    first.arrive(names_topics=False)
    dogs = MetadataRequest(
        topics=[MetadataRequestTopic(name="dogs")], allow_auto_topic_creation=False
    )
    of_brokers = metadata.handle(broker, asked(12), MetadataRequest(topics=[]))
    assert not isinstance(of_brokers, Pending)
    waiting = metadata.handle(broker, asked(12), dogs)
    of_all = metadata.handle(broker, asked(12), MetadataRequest(topics=None))
    assert isinstance(waiting, Pending)
    assert isinstance(of_all, Pending)
    timers.run_turn()
    assert (waiting.is_done, of_all.is_done) == (False, False)
    first.arrive(names_topics=names_topics)
    (found,) = answered(broker, waiting, MetadataResponse).topics
    assert found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert answered(broker, of_all, MetadataResponse).topics == []


def test_a_controller_that_has_no_topics_to_name_is_not_waited_for_again() -> None:
    timers = ManualTimers()
    first = FirstMetadata(timers)
    first.arrive(names_topics=False)
    waits_for = first.topics.wait()
    assert waits_for is not None
    timers.advance(MOST_SECONDS)
    assert waits_for.is_done
    assert first.topics.wait() is None
