"""What ZooKeeper says of groups, where some of it is nothing that 0.7 could have written."""

import pytest

from barnabas.migration.block_reader import BlockReader
from barnabas.migration.offset_map import MappedBlock, OffsetMap
from barnabas.migration.payload_sum import PayloadSum
from barnabas.migration.positions import (
    StoredPosition,
    TranslatedPosition,
    positions,
    stored,
    strays,
)
from tests.memory_disk import MemoryFile
from tests.migration_peers import PLACE, MemorySource
from tests.unit.broker.in_memory import MemoryRegistry
from tests.wires.golden07 import M1

pytestmark = pytest.mark.kernels


def test_what_is_no_offset_stops_no_other_group() -> None:
    registry = MemoryRegistry()
    for group, given in (("barn", b"12x"), ("farm", b"15"), ("kennel", b"30")):
        registry.create(f"/consumers/{group}/offsets/dogs/{PLACE}", given)
    source = MemorySource({0: M1 * 2})
    offsets = OffsetMap(MemoryFile(), {})
    offsets.add(MappedBlock(0, 0, 30, 0, PayloadSum(number=2)))
    reader = BlockReader(source, PLACE, skip=False)
    found = list(positions(registry, "dogs", [PLACE], [reader], offsets))
    assert found == [
        TranslatedPosition("farm", PLACE, 0, 15, 1),
        TranslatedPosition("kennel", PLACE, 0, 30, 2),
    ]
    first, *_ = stored(registry, "dogs", [PLACE])
    assert first == StoredPosition("barn", PLACE, 0, None, b"12x")


def test_a_group_below_another_one_is_found() -> None:
    registry = MemoryRegistry()
    registry.create(f"/consumers/pack/kennel/offsets/dogs/{PLACE}", b"30")
    registry.create("/consumers/pack/kennel/offsets/dogs/9-9", b"15")
    assert list(stored(registry, "dogs", [PLACE])) == [
        StoredPosition("pack/kennel", PLACE, 0, 30, b"30")
    ]
    assert list(strays(registry, "dogs", [PLACE])) == [("pack/kennel", "9-9")]
