import pytest

from barnabas.broker.groups.registry_offsets import RegistryOffsets
from barnabas.errors import StorageError
from tests.unit.broker.in_memory import MemoryRegistry


def test_an_offset_is_kept_by_group_topic_and_partition() -> None:
    offsets = RegistryOffsets(MemoryRegistry())
    assert offsets.fetch("kennel", "dogs", 0) is None
    offsets.commit("kennel", "dogs", 0, 5)
    offsets.commit("kennel", "dogs", 0, 7)
    offsets.commit("kennel/dogs", "dogs", 0, 9)
    assert offsets.fetch("kennel", "dogs", 0) == 7
    assert offsets.fetch("kennel/dogs", "dogs", 0) == 9
    assert offsets.fetch("kennel", "dogs", 1) is None


def test_the_path_is_that_of_kafka() -> None:
    registry = MemoryRegistry()
    RegistryOffsets(registry).commit("kennel", "dogs", 3, 12)
    assert registry.get("/consumers/kennel/offsets/dogs/3") == (b"12", 0)


@pytest.mark.parametrize("group", ["a:b c", "100%", "a%2Fb", "hund-ü", "...", "pack/dogs"])
def test_a_group_is_found_under_its_name_as_it_is(group: str) -> None:
    registry = MemoryRegistry()
    registry.create(f"/consumers/{group}/offsets/dogs/0", b"5")
    offsets = RegistryOffsets(registry)
    assert offsets.fetch(group, "dogs", 0) == 5
    offsets.commit(group, "dogs", 0, 7)
    assert registry.get(f"/consumers/{group}/offsets/dogs/0") == (b"7", 1)


@pytest.mark.parametrize("group", ["", "..", "../brokers", "kennel/offsets/dogs/0", "a\0b"])
def test_a_group_that_has_no_node_has_no_offset(group: str) -> None:
    registry = MemoryRegistry()
    offsets = RegistryOffsets(registry)
    with pytest.raises(StorageError, match="no place for a group"):
        offsets.commit(group, "dogs", 0, 7)
    with pytest.raises(StorageError, match="no place for a group"):
        offsets.fetch(group, "dogs", 0)
    assert not registry.nodes


@pytest.mark.parametrize("garbage", [b"many", b"1_000", b" 5", b"", b"9223372036854775808"])
def test_garbage_in_a_node_is_an_error_that_names_it(garbage: bytes) -> None:
    registry = MemoryRegistry()
    registry.create("/consumers/kennel/offsets/dogs/0", garbage)
    with pytest.raises(StorageError, match="/consumers/kennel/offsets/dogs/0 is no offset"):
        RegistryOffsets(registry).fetch("kennel", "dogs", 0)


def test_a_deleted_topic_is_forgotten_in_all_groups() -> None:
    offsets = RegistryOffsets(MemoryRegistry())
    groups = ("one", "one/more", "two")
    for group in groups:
        for topic in ("dogs", "cats"):
            offsets.commit(group, topic, 0, 1)
    offsets.forget_topic("dogs")
    assert [offsets.fetch(group, "dogs", 0) for group in groups] == [None] * 3
    assert [offsets.fetch(group, "cats", 0) for group in groups] == [1] * 3
