from barnabas.coordinators.common.assignment import Subscriptions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.range_assignor import assign as by_range

TOPICS = [b"a" * 16, b"b" * 16]


def test_range_gives_runs_and_the_same_of_each_topic() -> None:
    subscriptions = {"m2": frozenset(TOPICS), "m1": frozenset(TOPICS)}
    shares = by_range(Subscriptions(subscriptions, dict.fromkeys(TOPICS, 3), {}, {}))
    assert shares["m1"] == {TopicIdPartition(one, index) for one in TOPICS for index in (0, 1)}
    assert shares["m2"] == {TopicIdPartition(one, 2) for one in TOPICS}


def test_range_has_static_members_first_by_their_names() -> None:
    subscriptions = dict.fromkeys(["a", "b", "c"], frozenset(TOPICS[:1]))
    shares = by_range(Subscriptions(subscriptions, {TOPICS[0]: 3}, {}, {"c": "1", "b": "2"}))
    assert [next(iter(shares[name])).partition for name in "cba"] == [0, 1, 2]
