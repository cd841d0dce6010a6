"""Offsets in ZooKeeper: nothing is an offset by mistake, no group is in another's nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.kafka07.offset_nodes import (
    decode_offset,
    groups_with_offsets,
    offsets_path,
)
from tests.unit.broker.in_memory import MemoryRegistry

# As Kafka 2.8.2 answered for a commit: -1 where ZooKeeper refuses the name.
TAKEN = ("a b", "ü", "100%", "a%2Fb", "a/b", "offsets", "ids/a", "...", "..x", "a\xa0b", "a\uffefb")
REFUSED = (
    "", ".", "..", "a/../b", "a/./b", "../x", "a//b", "/a", "a/", "/",
    "a\0b", "a\tb", "a\x7fb", "a\x9fb", "a\ue000b", "a\ufff0b", "a\uffffb", "a😀b",
)  # fmt: skip
# Those it takes: they would be in the midst of another group's.
IN_ANOTHER = ("g/offsets/dogs/0", "g/ids", "g/owners/dogs", "a/b/offsets")
STEPS = st.sampled_from(["a", "b", "offsets", "ids", "owners", "0", "dogs"])
GROUPS = st.lists(STEPS, min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize("group", TAKEN)
def test_a_name_is_a_path_as_it_is(group: str) -> None:
    assert offsets_path(group) == f"/consumers/{group}/offsets"


@pytest.mark.parametrize("group", [*REFUSED, *IN_ANOTHER])
def test_a_name_that_can_be_no_path_has_none(group: str) -> None:
    assert offsets_path(group) is None


def test_a_name_makes_no_thousands_of_nodes() -> None:
    assert offsets_path("/".join("a" * 16))
    assert offsets_path("/".join("a" * 17)) is None


@given(GROUPS, GROUPS)
def test_no_two_groups_have_a_node_in_common(one: str, other: str) -> None:
    first, second = offsets_path(one), offsets_path(other)
    if one != other and first is not None and second is not None:
        node = f"{second}/dogs/0/"
        for kept in ("offsets", "ids", "owners"):
            assert not node.startswith(f"/consumers/{one}/{kept}/")


@given(st.sets(GROUPS))
def test_all_groups_are_found_again(names: set[str]) -> None:
    registry, expected = MemoryRegistry(), set()
    for name in names:
        path = offsets_path(name)
        if path is not None:
            registry.set(f"{path}/dogs/0", b"1")
            expected.add((name, path))
    registry.set("/consumers/kennel/ids/offsets", b"")
    assert set(groups_with_offsets(registry.children)) == expected


@pytest.mark.parametrize("offset", [0, -1, 536890406, 2**63 - 1])
def test_a_number_is_read_as_it_is_written(offset: int) -> None:
    assert decode_offset(b"%d" % offset) == offset


@pytest.mark.parametrize(
    "text", ["", "-", "1_000", "+1", " 1", "1\n", "1.0", "0x1", "٣", str(2**63), "1" * 20, "soon"]
)
def test_everything_else_is_none(text: str) -> None:
    assert decode_offset(text.encode()) is None
