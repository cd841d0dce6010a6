"""A migration that is killed anywhere, again and again: in the end each message is there once."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.positions import new_offset
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions
from tests.memory_disk import MemoryFile
from tests.migration_peers import PLACE, Killed, MemorySource, MemoryTarget

pytestmark = pytest.mark.kernels

SMALL = MigrationOptions(EncodeOptions(batch_bytes=200, sealed=False), block_bytes=150)
PAYLOADS = st.lists(st.binary(max_size=60), min_size=1, max_size=12)
SETS = st.lists(
    st.tuples(PAYLOADS, st.sampled_from([0, 1]), st.just(Codec.NONE))
    | st.tuples(PAYLOADS, st.just(1), st.sampled_from([Codec.GZIP, Codec.SNAPPY])),
    min_size=1,
    max_size=6,
)


def opened(file: MemoryFile) -> OffsetMap:
    return OffsetMap(file, {"topic": "dogs"})


def run(source: MemorySource, target: MemoryTarget, file: MemoryFile) -> Migration:
    """One process, from its start to its end, or to its death."""
    migration = Migration(source, target, opened(file), SMALL)
    migration.copy(0, source.bounds(PLACE)[1], lambda *_: None)
    target.deadly = False
    migration.verify(0, lambda _: None)
    return migration


@settings(max_examples=60)
@given(sets=SETS, start=st.sampled_from([0, 1000]), seed=st.integers(0, 2**32))
def test_killed_anywhere_nothing_is_lost_or_doubled(
    sets: list[tuple[list[bytes], int, Codec]], start: int, seed: int
) -> None:
    chance = Random(seed)
    source = MemorySource.of_sets(*sets, start=start)
    target = MemoryTarget(chance)
    file = MemoryFile()
    for _ in range(1000):
        target.deadly = True
        try:
            run(source, target, file)
            break
        except Killed:
            what = chance.randrange(4)
            if what == 0:  # The power was cut: of the map is left what was synced, and a part more.
                file.truncate(chance.randint(len(file.kept), len(file.now)))
            elif what == 1 and target.visible:  # The map was left behind on another machine.
                file = MemoryFile()
    assert target.records == [payload for payloads, _, _ in sets for payload in payloads]


@settings(max_examples=30)
@given(sets=SETS)
def test_each_position_leads_to_the_message_that_is_there(
    sets: list[tuple[list[bytes], int, Codec]],
) -> None:
    source, target = MemorySource.of_sets(*sets, start=500), MemoryTarget()
    migration = run(source, target, MemoryFile())
    reader, offsets = migration.readers[0], migration.offsets
    at, count = 500, 0
    for payloads, magic, codec in sets:
        sizes = [10 - (not magic) + len(payload) for payload in payloads]
        steps = [(sum(sizes[:n]), n) for n in range(len(sizes))] if not codec else [(0, 0)]
        for step, before in steps:
            assert new_offset(at + step, 0, reader, offsets) == count + before
        # In the middle of a message it comes again.
        assert new_offset(at + steps[-1][0] + 1, 0, reader, offsets) == count + steps[-1][1]
        at, count = source.next_start(PLACE, at), count + len(payloads)
    assert new_offset(at, 0, reader, offsets) == new_offset(at + 99, 0, reader, offsets) == count
    assert new_offset(0, 0, reader, offsets) == 0
