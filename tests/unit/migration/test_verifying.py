"""The comparison at the end: every difference is found, and named by its offsets."""

from collections.abc import Callable

import pytest

from barnabas.migration.errors import MigrationStopped
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.verifying import VerifiedCount
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions
from tests.memory_disk import MemoryFile
from tests.migration_peers import PLACE, MemorySource, MemoryTarget

pytestmark = pytest.mark.kernels

VALUES = [b"%d" % number for number in range(30)]


def copied() -> tuple[Migration, MemoryTarget]:
    source, target = MemorySource.of_sets((VALUES, 1, Codec.NONE)), MemoryTarget()
    options = MigrationOptions(EncodeOptions(sealed=False), block_bytes=100)
    migration = Migration(source, target, OffsetMap(MemoryFile(), {}), options)
    migration.copy(0, source.bounds(PLACE)[1], lambda *_: None)
    return migration, target


def swap(records: list[bytes]) -> None:
    records[12], records[13] = records[13], records[12]


def cut(records: list[bytes]) -> None:
    records[20:22] = [b"2", b"021"]


def change(records: list[bytes]) -> None:
    records[29] = b"92"


def test_all_is_there() -> None:
    migration, target = copied()
    seen: list[int] = []
    assert migration.verify(0, seen.append) == VerifiedCount(30, 0)
    assert sum(seen) == 30
    target.first = 10
    deleted = migration.verify(0, seen.append).deleted
    assert 10 <= deleted < 30


@pytest.mark.parametrize("damage", [swap, cut, change])
def test_what_differs_is_found(damage: Callable[[list[bytes]], None]) -> None:
    migration, target = copied()
    damage(target.records)
    with pytest.raises(MigrationStopped, match="has other records from offset"):
        migration.verify(0, lambda _: None)


@pytest.mark.parametrize(("end", "why"), [(29, "29 records, not 30"), (31, "31 records, not 30")])
def test_too_few_and_too_many(end: int, why: str) -> None:
    migration, target = copied()
    target.visible = end
    with pytest.raises(MigrationStopped, match=why):
        migration.verify(0, lambda _: None)


def test_records_that_cannot_be_read() -> None:
    migration, target = copied()
    del target.records[-3:]
    with pytest.raises(MigrationStopped, match="other records|lacks records"):
        migration.verify(0, lambda _: None)
