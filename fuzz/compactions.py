"""Batches through the kernels that compact: what they learn of them, keep of them and say of that."""

import random
from array import array
from typing import Any

from barnabas.kernels import layout
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.kernel_forms import Forms

KEYS = (None, b"", b"a", b"b", b"8 bytes!", b"a key of more than sixteen bytes")
VALUES = (None, None, b"", b"v", b"x" * 70)
KINDS = (0, 0, 0, 0x08, 0x40, 0x48)
"""Attributes: log append time, a horizon for tombstones."""
WORST = (-1, 0, 1, 1 << 20, 2**31, 2**63 - 1, -(2**63))
NOW, HORIZON = 1 << 39, 1 << 40


def log(chance: random.Random) -> bytes:
    """A few batches whose keys come again, some of them without a value."""
    whole, offset = b"", 0
    for _ in range(chance.randrange(1, 5)):
        builder = BatchBuilder(Codec.NONE, 1 << 20)
        count = chance.randrange(1, 6)
        for _ in range(count):
            headers = [("name", b"x" * 9)] * chance.randrange(2)
            timestamp = chance.randrange(1 << 40)
            builder.append(timestamp, chance.choice(KEYS), chance.choice(VALUES), headers)
        batch = builder.build()
        batch[0:8] = offset.to_bytes(8, "big")
        batch[22] |= chance.choice(KINDS)
        offset += count + chance.randrange(3)
        whole += batch
    return whole


def compact(forms: Forms, data: bytes) -> list[object]:
    """All that the compacting kernels make of some bytes, read as batches.

    Each buffer has exactly the size that the kernels ask for, on the heap, so that a sanitizer sees
    one byte too many. Some tables are spoilt, which depends on the bytes alone.
    """
    chance = random.Random(data)
    exact = array("B", data)
    rows = forms.batch_rows.count(exact)
    made: list[object] = [rows]
    if rows <= 0:
        return made
    table = array("q", bytes(8 * layout.WIDTH * rows))
    made.append(forms.batch_rows.walk(exact, table, array("q", bytes(8 * layout.STATE))))
    records = sum(table[layout.COUNT :: layout.WIDTH])
    if not 0 <= records <= len(data):
        return [*made, "too many records"]
    hashes, places = array("Q", bytes(16 * records)), array("q", bytes(16 * records))
    nulls = array("B", bytes(records))
    looked = forms.key_hashes.look(exact, table, 0, rows, 1, 2, hashes, places, nulls)
    made += [looked, hashes.tolist(), places.tolist(), nulls.tolist()]
    if looked < 0:
        return made
    latest = _learnt(forms, hashes, places, nulls, looked, made)
    verdicts = array("q", bytes(8 * layout.VERDICT * rows))
    judged = forms.key_maps.judge(latest, table, 0, rows, NOW, hashes, places, nulls, verdicts)
    made += [judged, nulls.tolist(), verdicts.tolist()]
    if chance.random() < 0.3:
        _spoil(table, chance)
    if chance.random() < 0.1:
        _spoil(verdicts, chance)
    return made + _survivors(forms, exact, table, nulls, verdicts, chance)


def _spoil(numbers: "array[int]", chance: random.Random) -> None:
    numbers[chance.randrange(len(numbers))] = chance.choice(WORST)


def _learnt(
    forms: Forms, hashes: Any, places: Any, nulls: Any, count: int, made: list[object]
) -> Any:
    """A map of the records, which grows from its smallest."""
    slots = 2
    latest = forms.key_maps.KeyMap(array("Q", bytes(24 * slots)), slots - 1)
    while True:
        learnt = forms.key_maps.learn(latest, hashes, places, nulls, count, 0)
        made += [learnt, latest.used, latest.latest]
        if learnt != layout.MAP_IS_FULL or slots > 8:
            return latest
        slots *= 2
        latest.move(array("Q", bytes(24 * slots)), slots - 1)


def _survivors(
    forms: Forms, data: Any, table: Any, nulls: Any, verdicts: Any, chance: random.Random
) -> list[object]:
    """What stays, with just enough room and with a byte less, and the entries of an index for it."""
    rows = len(table) // layout.WIDTH
    kept_empty = array("q", sorted(chance.sample(range(20), 5)))
    made: list[object] = []
    for room in (len(data) + layout.GROWTH * len(nulls), chance.randrange(1 + len(data))):
        out = array("B", bytes(room))
        rewritten = array("q", bytes(16 * rows))
        state = array("q", bytes(8 * layout.COMPACTION_STATE))
        state[layout.NEW_HORIZON] = HORIZON
        result = forms.compaction.survive(
            data, table, 0, rows, kept_empty, nulls, verdicts, memoryview(out), rewritten, state
        )
        made += [result, state.tolist(), rewritten.tolist()]
        made.append(bytes(out[: state[layout.TO_BYTES]]))
    start, end, count = (table[at] for at in (layout.START, layout.END, layout.COUNT))
    if 0 <= count <= len(nulls) and 0 <= end - start <= len(data):
        out = array("B", bytes(end - start + layout.GROWTH * count))
        shift = chance.choice(WORST)
        written = forms.compaction.write(data, start, end, nulls, count, shift, memoryview(out), 0)
        made += [written, bytes(out[: max(0, written)])]
    found, state = array("q", bytes(32 * rows)), array("q", bytes(8 * layout.COMPACTION_STATE))
    made.append(forms.index_entries.entries(table, chance.choice((0, 100)), state, found))
    return [*made, found.tolist(), state.tolist()]
