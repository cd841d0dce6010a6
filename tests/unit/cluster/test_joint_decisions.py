"""Joint decisions: what comes together is written once, and is one request to each broker."""

from barnabas.cluster.events import BrokersChanged, IsrProposed, PartitionsAdded, Reassigned
from barnabas.cluster.image import Broker, ClusterImage
from barnabas.cluster.joint_decisions import step_all
from barnabas.cluster.view import View
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition

ONE, TWO, THREE = map(NodeId, (1, 2, 3))
BROKERS = BrokersChanged({one: Broker(one, epoch=10 + one) for one in (ONE, TWO, THREE)})
COUNT = 3
PARTITIONS = [TopicPartition("dogs", index) for index in range(COUNT)]


def view_after(*events: BrokersChanged | PartitionsAdded | Reassigned) -> View:
    return step_all(View(ClusterImage(controller=ONE)), events)[-1].after


def test_topics_that_come_together_are_one_request_to_each_broker() -> None:
    added = [PartitionsAdded(name, name.encode() * 4, {0: (TWO,)}) for name in ("dogs", "cats")]
    first, second = step_all(view_after(BROKERS), added)
    assert [one.node_id for one in first.requests] == [2, 1, 2, 3]
    assert (second.requests, second.writes) == ((), ())
    assert first.after == second.after
    assert {*first.after.image.topics} == {"cats", "dogs"}


def test_moves_that_end_together_write_their_topic_once_and_after_the_partitions() -> None:
    view = view_after(
        BROKERS,
        PartitionsAdded("dogs", b"d" * 16, dict.fromkeys(range(COUNT), (ONE,))),
        Reassigned(dict.fromkeys(PARTITIONS, (TWO,))),
    )
    proposed = []
    for place in PARTITIONS:
        state = view.image.partition(place)
        assert state is not None
        isr = ((ONE, -1), (TWO, -1))
        proposed.append(IsrProposed(ONE, -1, place, isr, state.leader_epoch, state.partition_epoch))
    late = proposed[1]
    proposed[1] = IsrProposed(ONE, -1, late.partition, late.isr, late.leader_epoch, 99)
    decisions = step_all(view, proposed)
    paths = [one.path for decision in decisions for one in decision.writes]
    assert paths == [
        "/brokers/topics/dogs/partitions/0/state",
        "/brokers/topics/dogs/partitions/2/state",
        "/brokers/topics/dogs",
    ]
    # Each knows what became of it.
    found = [
        (decision.errors.get(place, ErrorCode.NONE), decision.after.image.partition(place))
        for decision, place in zip(decisions, PARTITIONS, strict=True)
    ]
    assert [(code, state and state.replicas) for code, state in found] == [
        (ErrorCode.NONE, (TWO,)),
        (ErrorCode.INVALID_UPDATE_VERSION, (TWO, ONE)),
        (ErrorCode.NONE, (TWO,)),
    ]
