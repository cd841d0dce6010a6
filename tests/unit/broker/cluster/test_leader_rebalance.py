"""The controller lets first replicas lead again, a hundred partitions in each decision."""

from collections.abc import Sequence
from typing import Any, cast

from barnabas.broker.cluster.controller_changes import ControllerEvents
from barnabas.broker.cluster.leader_rebalance import Balance, LeaderRebalance
from barnabas.broker.purgatory.stepping import Steps, at_once
from barnabas.cluster.events import ControllerEvent, PreferredElection
from barnabas.cluster.image import Broker, BrokerEndpoint, ClusterImage, PartitionState, Topic
from barnabas.cluster.request_parts import DECIDED_AT_ONCE
from barnabas.cluster.view import View
from barnabas.types import NodeId, TopicPartition
from tests.unit.runtime.manual_timers import ManualTimers

ONE, TWO = NodeId(1), NodeId(2)


class Elections:
    """A controller that notes what it is asked to decide."""

    def __init__(self, partitions: int) -> None:
        state = PartitionState(TWO, 1, (ONE, TWO), (ONE, TWO), 1)
        topic = Topic("dogs", b"d" * 16, dict.fromkeys(range(partitions), state))
        brokers = {
            one: Broker(one, (BrokerEndpoint("PLAINTEXT", "localhost", 1),)) for one in (ONE, TWO)
        }
        self.view = View(ClusterImage(brokers, {"dogs": topic}))
        self.asked: list[Sequence[TopicPartition]] = []

    def take(self, *events: ControllerEvent) -> Steps[Any]:
        (event,) = events
        assert isinstance(event, PreferredElection)
        self.asked.append(event.partitions)
        yield

    def attempt(self, act: Any) -> None:
        at_once(act())


def test_many_partitions_are_elected_in_several_decisions() -> None:
    count = 2 * DECIDED_AT_ONCE + 7
    controller, timers = Elections(count), ManualTimers()
    rebalance = LeaderRebalance(Balance(300, 10), timers, cast("ControllerEvents", controller))
    rebalance.begin()
    timers.advance(5)
    assert [len(one) for one in controller.asked] == [DECIDED_AT_ONCE, DECIDED_AT_ONCE, 7]
    assert {place.partition for one in controller.asked for place in one} == {*range(count)}
    rebalance.end()
