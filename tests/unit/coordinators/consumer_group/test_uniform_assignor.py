from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinators.common.assignment import Assignment, Assignor, Subscriptions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.range_assignor import assign as by_range
from barnabas.coordinators.consumer_group.uniform_assignor import assign as uniformly

TOPICS = [b"a" * 16, b"b" * 16, b"c" * 16]


@st.composite
def subscriptions(draw: st.DrawFn, *, alike: bool = False) -> Subscriptions:
    names = draw(st.lists(st.sampled_from("rstuvw"), unique=True, min_size=1))
    partitions = {one: draw(st.integers(1, 9)) for one in TOPICS}
    topics = st.frozensets(st.sampled_from(TOPICS))
    same = draw(topics)
    wanted = {name: same if alike else draw(topics) for name in names}
    places = [TopicIdPartition(one, index) for one in TOPICS for index in range(12)]
    held = draw(st.lists(st.sampled_from([*names, "gone"]), min_size=len(places)))
    before: dict[str, frozenset[TopicIdPartition]] = {}
    for place, name in zip(places, held, strict=False):
        before[name] = before.get(name, frozenset()) | {place}
    return Subscriptions(wanted, partitions, before, {})


def check_each_once(asked: Subscriptions, shares: Assignment) -> None:
    handed_out = [place for share in shares.values() for place in share]
    wanted = {topic for topics in asked.subscriptions.values() for topic in topics}
    assert sorted(handed_out) == sorted(
        place for topic in wanted for place in asked.partitions_of(topic)
    )
    for name, share in shares.items():
        assert {place.topic_id for place in share} <= asked.subscriptions[name]


@pytest.mark.parametrize("assign", [uniformly, by_range])
@given(asked=subscriptions())
def test_each_partition_has_one_subscriber(assign: Assignor, asked: Subscriptions) -> None:
    check_each_once(asked, assign(asked))


@given(asked=subscriptions(alike=True))
def test_uniform_is_even_and_moves_no_more_than_it_must(asked: Subscriptions) -> None:
    shares = uniformly(asked)
    sizes = [len(share) for share in shares.values()]
    assert max(sizes) - min(sizes) <= 1
    again = Subscriptions(asked.subscriptions, asked.partitions, shares, {})
    assert uniformly(again) == shares
    for name, share in shares.items():
        kept = asked.before.get(name, frozenset()) & {
            place for topic in asked.subscriptions[name] for place in asked.partitions_of(topic)
        }
        assert len(share & kept) >= min(len(kept), *sizes)


@given(asked=subscriptions())
def test_uniform_moves_nothing_that_is_level(asked: Subscriptions) -> None:
    shares = uniformly(asked)
    assert uniformly(Subscriptions(asked.subscriptions, asked.partitions, shares, {})) == shares


class Counted(TopicIdPartition):
    """A partition that counts how often somebody looks of which topic one is."""

    looks: ClassVar[int] = 0

    @property
    def topic_id(self) -> bytes:
        Counted.looks += 1
        return self[0]


def test_members_with_different_topics_are_levelled_by_few_looks() -> None:
    """Ten members with 1,000 partitions of 520 topics took 12 s, in which nobody else was served."""
    topics = [bytes([number]) * 16 for number in range(20)]
    # All that the first five had is to be shared with the others, who know one topic less each.
    wanted = {f"{one:02}": frozenset(topics[: 20 - max(0, one - 4)]) for one in range(10)}
    places = [Counted(topic, index) for topic in topics for index in range(50)]
    before = {f"{one:02}": frozenset[TopicIdPartition](places[one::5]) for one in range(5)}
    Counted.looks = 0
    asked = Subscriptions(wanted, dict.fromkeys(topics, 50), before, {})
    shares = uniformly(asked)
    assert Counted.looks <= 10 * len(places)
    check_each_once(asked, shares)
    sizes = [len(share) for share in shares.values()]
    assert max(sizes) - min(sizes) <= 1
