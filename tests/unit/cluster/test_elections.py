"""Elections without being asked: whose first replicas should lead again."""

from collections.abc import Sequence
from dataclasses import replace

from barnabas.cluster.elections import imbalanced
from barnabas.cluster.image import (
    NO_LEADER,
    Broker,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.cluster.view import View
from barnabas.types import NodeId, TopicPartition

ONE, TWO = map(NodeId, (1, 2))
BOTH = (ONE, TWO)
AT_HOME, AWAY = PartitionState(ONE, 0, BOTH, BOTH), PartitionState(TWO, 0, BOTH, BOTH)


def view(states: Sequence[PartitionState]) -> View:
    """Brokers 1 and 2, and the partitions of one topic."""
    topics = {"dogs": TopicDelta(topic_id=b"d" * 16, partitions=dict(enumerate(states)))}
    brokers = {one: Broker(one) for one in BOTH}
    return View(ClusterImage().apply(ImageDelta(brokers=brokers, topics=topics)))


def test_a_share_of_leaders_elsewhere_is_put_up_with() -> None:
    seen = view([AT_HOME] * 9 + [AWAY])
    assert imbalanced(seen, 10) == ()
    assert imbalanced(seen, 9) == (TopicPartition("dogs", 9),)
    assert imbalanced(view([AT_HOME] * 8 + [AWAY] * 2), 10) == (("dogs", 8), ("dogs", 9))


def test_each_broker_has_its_own_share() -> None:
    of_two = PartitionState(TWO, 0, BOTH, (TWO, ONE))
    assert imbalanced(view([of_two] * 99 + [AWAY]), 10) == (("dogs", 99),)


def test_what_cannot_be_led_or_has_no_leader_or_moves_is_left_alone() -> None:
    left = [
        replace(AWAY, isr=(TWO,)),
        replace(AWAY, leader=NO_LEADER),
        replace(AWAY, adding=(ONE,)),
    ]
    assert imbalanced(view(left), 0) == ()
    assert imbalanced(replace(view([AWAY]), deletions={"dogs": {}}), 0) == ()
    assert imbalanced(replace(view([AWAY]), shutting_down=frozenset({ONE})), 0) == ()
