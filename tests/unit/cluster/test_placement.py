"""Placement: replicas spread over brokers and racks."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.cluster.placement import alternating, place
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import NodeId

RACKS = st.dictionaries(
    st.integers(0, 20).map(NodeId), st.sampled_from("abc"), min_size=1, max_size=9
)


def test_leaders_go_round_and_followers_begin_further_on_each_time() -> None:
    racks: dict[NodeId, str | None] = {NodeId(number): None for number in range(3)}
    assert place(racks, range(6), 2) == {
        0: (0, 1),
        1: (1, 2),
        2: (2, 0),
        3: (0, 2),
        4: (1, 0),
        5: (2, 1),
    }


def test_neighbours_are_in_different_racks() -> None:
    racks = {NodeId(0): "a", NodeId(1): "a", NodeId(2): "b", NodeId(3): "c", NodeId(4): "c"}
    assert alternating(racks) == [0, 2, 3, 1, 4]


@given(RACKS, st.integers(1, 4), st.integers(0, 50), st.integers(0, 50))
def test_replicas_are_on_different_brokers_and_in_different_racks(
    racks: dict[NodeId, str], replicas: int, start: int, shift: int
) -> None:
    factor = min(replicas, len(racks))
    placed = place(dict(racks), range(30), factor, start, shift)
    assert sorted(placed) == list(range(30))
    for nodes in placed.values():
        assert len(set(nodes)) == len(nodes) == factor
        used = {racks[one] for one in nodes}
        assert len(used) == min(factor, len(set(racks.values())))
    leaders = Counter(nodes[0] for nodes in placed.values())
    assert max(leaders.values()) - min(leaders[one] for one in racks) <= 1


@given(RACKS, st.integers(0, 50))
def test_where_one_has_no_rack_racks_do_not_count(racks: dict[NodeId, str], start: int) -> None:
    mixed: dict[NodeId, str | None] = {**racks, NodeId(99): None}
    plain: dict[NodeId, str | None] = dict.fromkeys(mixed)
    assert place(mixed, range(9), 1, start) == place(plain, range(9), 1, start)


@pytest.mark.parametrize("factor", [0, -1, 3])
def test_more_replicas_than_brokers_are_refused(factor: int) -> None:
    with pytest.raises(
        BrokerError, match=f"factor of {factor} cannot be reached with 2 brokers"
    ) as at:
        place({NodeId(1): None, NodeId(2): None}, [0], factor)
    assert at.value.code is ErrorCode.INVALID_REPLICATION_FACTOR
