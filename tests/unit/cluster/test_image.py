"""ClusterImage: what it finds, and what it shares with the image before."""

from dataclasses import replace

from barnabas.cluster.image import (
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.types import NodeId, TopicPartition

ONE, TWO = NodeId(1), NodeId(2)
STATE = PartitionState(ONE, 3, (ONE, TWO), (ONE, TWO), 7)
ID, OTHER = b"a" * 16, b"b" * 16


def image() -> ClusterImage:
    brokers = {ONE: Broker(ONE, rack="a"), TWO: Broker(TWO)}
    delta = ImageDelta(brokers, {"dogs": TopicDelta(ID, {0: STATE, 1: STATE})}, ONE, 4)
    return ClusterImage().apply(delta)


def test_what_is_in_it() -> None:
    found = image()
    assert found.partition(TopicPartition("dogs", 1)) is STATE
    assert found.partition(TopicPartition("dogs", 2)) is None
    assert found.partition(TopicPartition("cats", 0)) is None
    topic = found.topic_by_id(ID)
    assert topic is not None
    assert topic.name == "dogs"
    assert found.topic_by_id(OTHER) is None
    assert (found.controller, found.controller_epoch) == (ONE, 4)
    assert [one for one, _ in found.partitions()] == [("dogs", 0), ("dogs", 1)]


def test_what_goes() -> None:
    gone = image().apply(ImageDelta({TWO: None}, {"dogs": TopicDelta(partitions={0: None})}))
    assert list(gone.brokers) == [ONE]
    assert list(gone.topics["dogs"].partitions) == [1]
    without = gone.apply(ImageDelta(topics={"dogs": TopicDelta(partitions={1: None})}))
    assert not without.topics
    assert without.topic_by_id(ID) is None
    assert not image().apply(ImageDelta(topics={"dogs": None, "cats": None})).topics


def test_a_topic_made_again_has_nothing_of_the_one_before() -> None:
    again = image().apply(ImageDelta(topics={"dogs": TopicDelta(OTHER, {0: STATE}, is_new=True)}))
    assert list(again.topics["dogs"].partitions) == [0]
    assert again.topic_by_id(ID) is None
    assert again.topic_by_id(OTHER) is again.topics["dogs"]


def test_live_replicas() -> None:
    found = image()
    assert found.live_replicas(STATE) == (ONE, TWO)
    assert found.live_replicas(replace(STATE, offline=(ONE,))) == (TWO,)
    assert found.apply(ImageDelta({TWO: None})).live_replicas(STATE) == (ONE,)


def test_an_endpoint_by_its_listener() -> None:
    inside = BrokerEndpoint("INSIDE", "h", 9092)
    broker = Broker(ONE, (BrokerEndpoint("OUTSIDE", "o", 1), inside))
    assert broker.endpoint("INSIDE") is inside
    assert broker.endpoint("NONE") is None


def test_what_does_not_change_is_shared() -> None:
    names = [f"t{number}" for number in range(100)]
    topics = {name: TopicDelta(partitions=dict.fromkeys(range(100), STATE)) for name in names}
    before = image().apply(ImageDelta(topics=topics))
    moved = replace(STATE, leader=TWO, leader_epoch=4)
    after = before.apply(ImageDelta(topics={"t7": TopicDelta(partitions={3: moved})}))
    assert after.partition(TopicPartition("t7", 3)) is moved
    assert before.partition(TopicPartition("t7", 3)) is STATE
    assert after.brokers is before.brokers
    assert after.names is before.names
    changed = [name for name in names if after.topics[name] is not before.topics[name]]
    assert changed == ["t7"]
    assert all(after.topics["t7"].partitions[at] is STATE for at in range(100) if at != 3)
    assert before.apply(ImageDelta(controller=TWO)).topics is before.topics
