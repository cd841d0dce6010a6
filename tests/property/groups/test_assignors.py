"""Assignors over any members, topics and pasts: whole, balanced, sticky, safe; as other clients do it."""

from collections.abc import Mapping

import pytest
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from hypothesis import example, given
from hypothesis import strategies as st

from barnabas.client.core.group.assignor import Assignment, PreviousAssignment
from barnabas.client.core.group.cooperative import CooperativeStickyAssignor
from barnabas.client.core.group.range_assignor import RangeAssignor
from barnabas.client.core.group.round_robin import RoundRobinAssignor
from barnabas.client.core.group.sticky import StickyAssignor, balanced
from barnabas.client.core.group.strategies import assignors
from barnabas.client.core.group.subscription import Subscription, decode_subscription
from barnabas.types import TopicPartition

TOPICS = ("ants", "bees", "cats", "dogs")
ALL = assignors(("range", "roundrobin", "sticky", "cooperative-sticky"))
COUNTS = st.dictionaries(st.sampled_from(TOPICS), st.integers(0, 9), max_size=4)
WANTED = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=4, unique=True).map(tuple)
PLACES = st.builds(TopicPartition, st.sampled_from(TOPICS), st.integers(0, 10))
GENERATIONS = st.integers(-1, 3)
MEMBERS = st.dictionaries(
    st.sampled_from([f"m{one}" for one in range(7)]), WANTED, min_size=1, max_size=7
)


def subscribed(members: Mapping[str, tuple[str, ...]]) -> dict[str, Subscription]:
    return {name: Subscription(topics) for name, topics in members.items()}


def all_of(given: Assignment) -> list[TopicPartition]:
    return sorted(where for rows in given.values() for where in rows)


def expected(
    counts: Mapping[str, int], members: Mapping[str, Subscription]
) -> list[TopicPartition]:
    wanted = {topic for each in members.values() for topic in each.topics}
    return sorted(
        TopicPartition(topic, one)
        for topic in wanted & counts.keys()
        for one in range(counts[topic])
    )


def is_balanced(given: Assignment, members: Mapping[str, Subscription]) -> bool:
    """Nobody could take a partition of somebody who has two more."""
    return not any(
        len(rows) - len(given[other]) >= 2 and where.topic in members[other].topics
        for rows in given.values()
        for where in rows
        for other in members
    )


@pytest.mark.parametrize("assignor", ALL, ids=[each.name for each in ALL])
@given(counts=COUNTS, members=MEMBERS)
def test_each_partition_goes_to_one_member_that_wants_it(
    assignor: RangeAssignor, counts: dict[str, int], members: dict[str, tuple[str, ...]]
) -> None:
    subscriptions = subscribed(members)
    found = assignor.assign(counts, subscriptions)
    assert found.keys() == members.keys()
    assert all_of(found) == expected(counts, subscriptions)
    assert all(where.topic in members[one] for one, rows in found.items() for where in rows)


PASTS = st.dictionaries(
    st.sampled_from([f"m{one}" for one in range(7)]),
    st.builds(
        PreviousAssignment, st.lists(PLACES, max_size=12, unique=True).map(tuple), GENERATIONS
    ),
)


@given(counts=COUNTS, members=MEMBERS, past=PASTS)
def test_sticky_is_whole_and_balanced_whatever_members_claim(
    counts: dict[str, int], members: dict[str, tuple[str, ...]], past: dict[str, PreviousAssignment]
) -> None:
    subscriptions = subscribed(members)
    found = balanced(
        counts, subscriptions, {one: past.get(one, PreviousAssignment()) for one in members}
    )
    assert all_of(found) == expected(counts, subscriptions)
    assert is_balanced(found, subscriptions)


@given(counts=COUNTS, names=st.sets(st.integers(0, 9), min_size=1), gone=st.data())
def test_sticky_moves_no_more_than_evenness_needs(
    counts: dict[str, int], names: set[int], gone: st.DataObject
) -> None:
    """All want all: who stays loses only what is over its new share, and gains if others go."""
    everybody = subscribed({f"m{one}": TOPICS for one in names})
    before = StickyAssignor().assign(counts, everybody)
    after_names = gone.draw(st.sets(st.integers(0, 12), min_size=1))
    after = subscribed({f"m{one}": TOPICS for one in after_names})
    held = {one: PreviousAssignment(tuple(before.get(one, ())), 1) for one in after}
    found = balanced(counts, after, held)
    least, more = divmod(len(expected(counts, after)), len(after))
    larger = 0
    for one in after:
        kept = len(set(found[one]) & set(before.get(one, ())))
        assert kept >= min(len(before.get(one, ())), least)
        larger += kept > least
    assert larger == min(more, sum(len(before.get(one, ())) > least for one in after))


@given(counts=COUNTS, members=MEMBERS, newcomers=MEMBERS)
def test_a_cooperative_group_settles_and_nobody_ever_shares(
    counts: dict[str, int],
    members: dict[str, tuple[str, ...]],
    newcomers: dict[str, tuple[str, ...]],
) -> None:
    assignor = CooperativeStickyAssignor()
    had = assignor.assign(counts, subscribed(members))
    now = {**{one: topics for one, topics in members.items() if one != "m0"}, **newcomers}
    for generation in range(1, 4):
        sent = {
            one: Subscription(
                topics, tuple(w for w in had.get(one, ()) if w.topic in topics), generation
            )
            for one, topics in now.items()
        }
        given = assignor.assign(counts, sent)
        owners = {where: one for one, each in sent.items() for where in each.owned}
        assert all(owners.get(where, one) == one for one, rows in given.items() for where in rows)
        moved = any(set(sent[one].owned) - set(given[one]) for one in now)
        had = {one: list(rows) for one, rows in given.items()}
        if not moved:
            break
    assert all_of(had) == expected(counts, subscribed(now))
    assert is_balanced(had, subscribed(now))


class Cluster:
    """As aiokafka's assignors ask it."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        count = self._counts.get(topic, 0)
        return set(range(count)) if count else None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RangeAssignor(), RangePartitionAssignor),
        (RoundRobinAssignor(), RoundRobinPartitionAssignor),
    ],
)
@given(counts=COUNTS, members=MEMBERS)
@example(counts={"ants": 7, "bees": 2}, members={"m2": ("ants", "bees"), "m1": ("ants",)})
def test_shares_are_those_of_aiokafka(
    ours: RangeAssignor,
    theirs: type[RangePartitionAssignor],
    counts: dict[str, int],
    members: dict[str, tuple[str, ...]],
) -> None:
    metadata = {one: theirs().metadata(list(topics)) for one, topics in members.items()}
    found = theirs().assign(Cluster(counts), metadata)
    assert ours.assign(counts, subscribed(members)) == {
        one: sorted(
            TopicPartition(topic, each) for topic, rows in found[one].assignment for each in rows
        )
        if theirs is RangePartitionAssignor
        else [TopicPartition(topic, each) for topic, rows in found[one].assignment for each in rows]
        for one in members
    }


@given(sent=st.binary(max_size=40))
def test_any_user_data_is_read_or_passed_over(sent: bytes) -> None:
    subscription = Subscription(("ants",), user_data=sent)
    for assignor in ALL:
        found = assignor.assign({"ants": 3}, {"m": subscription, "n": Subscription(("ants",))})
        assert len(all_of(found)) == 3


@given(held=st.builds(PreviousAssignment, st.lists(PLACES, unique=True).map(tuple), GENERATIONS))
def test_what_sticky_members_had_is_found_again(held: PreviousAssignment) -> None:
    from barnabas.client.core.group.sticky_user_data import decode_previous

    sent = Subscription(("ants",), user_data=StickyAssignor().user_data(held))
    found = decode_previous(sent)
    assert set(found.partitions) == set(held.partitions)
    assert found.generation == (held.generation if held.partitions else -1)


def test_a_subscription_of_any_version_is_read() -> None:
    first = b"\0\0" + b"\0\0\0\1\0\4ants" + b"\xff\xff\xff\xff"
    assert decode_subscription(first) == Subscription(("ants",))
    newer = b"\0\7" + first[2:] + b"\0\0\0\0" + b"\0\0\0\5" + b"\xff\xff" + b"of later"
    assert decode_subscription(newer) == Subscription(("ants",), (), 5)
