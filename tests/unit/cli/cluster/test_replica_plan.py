from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.cli.cluster.replica_plan import plan
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

BROKERS = st.lists(st.integers(1, 8), min_size=1, max_size=8, unique=True)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[dict[TopicPartition, list[int]], list[int]]:
    """Partitions with their replicas, and the brokers that may have some: enough of them."""
    brokers = draw(BROKERS)
    factor = draw(st.integers(1, min(3, len(brokers))))
    there = st.lists(st.integers(1, 8), min_size=factor, max_size=factor, unique=True)
    rows = draw(st.lists(there, max_size=20))
    return {TopicPartition("t", index): row for index, row in enumerate(rows)}, brokers


@given(cluster=clusters(), balance=st.booleans())
def test_all_replicas_are_on_the_brokers_and_none_is_lost(
    cluster: tuple[dict[TopicPartition, list[int]], list[int]], *, balance: bool
) -> None:
    current, brokers = cluster
    moved = plan(current, dict.fromkeys(brokers), balance=balance)
    after = {**current, **moved}
    for place, replicas in after.items():
        assert set(replicas) <= set(brokers)
        assert len(set(replicas)) == len(replicas) == len(current[place])
    if balance and after:
        loads = Counter(dict.fromkeys(brokers, 0))
        loads.update(one for replicas in after.values() for one in replicas)
        assert max(loads.values()) - min(loads.values()) <= 1
    if not balance:
        stays = [place for place, row in current.items() if set(row) <= set(brokers)]
        assert not set(stays) & set(moved)


def test_a_broker_is_taken_away_and_the_least_loaded_ones_get_its_replicas() -> None:
    current = {
        TopicPartition("t", 0): (3, 1),
        TopicPartition("t", 1): (1, 2),
        TopicPartition("t", 2): (2, 3),
    }
    assert plan(current, {1: None, 2: None, 4: None}) == {
        TopicPartition("t", 0): (1, 4),
        TopicPartition("t", 2): (2, 4),
    }


def test_a_new_replica_is_in_another_rack() -> None:
    current = {TopicPartition("t", index): (1,) for index in range(4)}
    moved = plan(current, {1: "a", 2: "a", 3: "b"}, replication_factor=2)
    assert [moved[place] for place in sorted(moved)] == [(1, 3)] * 4


def test_balancing_takes_no_partition_out_of_a_rack() -> None:
    current = {TopicPartition("t", index): (1, 3) for index in range(4)}
    moved = {**current, **plan(current, {1: "a", 2: "a", 3: "b", 4: "b"}, balance=True)}
    for replicas in moved.values():
        assert {"a" if one < 3 else "b" for one in replicas} == {"a", "b"}
    assert Counter(one for row in moved.values() for one in row) == {1: 2, 2: 2, 3: 2, 4: 2}
    assert max(Counter(row[0] for row in moved.values()).values()) == 1


def test_more_replicas_than_brokers_are_refused() -> None:
    with pytest.raises(
        ConfigError, match="has 3 replicas, and only 2 brokers .* --replication-factor 2"
    ):
        plan({TopicPartition("t", 0): (1, 2, 3)}, {1: None, 2: None})
