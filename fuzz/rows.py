"""Random rows through the kernels that write, as columns and one by one: what they make of them."""

import random
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from barnabas.records.batches.batch import HEADER_SIZE
from barnabas.records.batches.builder import finish
from barnabas.records.columns.reading import decode_records
from tests.kernel_forms import Forms

SIZES = (0, 0, 1, 9, 15, 16, 17, 63, 64, 127, 128, 300)
NAMES = ("", "n", "trace-id", "\u00f6\u00f6", "n" * 70)
EXTREMES = (-(2**63), 2**63 - 1, -1, 0, 2**31)

Headers = tuple[tuple[str, bytes | None], ...]


class Row(NamedTuple):
    """A record to be; the timestamp in milliseconds."""

    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers


def write(forms: Forms, seed: int) -> list[object]:
    """Draw rows from a seed and write them; all that the kernels answer, of either sort.

    Raises:
        AssertionError: what was written decodes to something else than the rows.
    """
    chance = random.Random(seed)
    rows = [_row(chance) for _ in range(chance.randrange(1, 12))]
    limit = chance.choice((0, 100, 400, 1 << 20, 1 << 20))
    made: list[object] = [_append(forms.objects, rows, limit)]
    order = list(range(len(rows)))
    if chance.random() < 0.5:
        chance.shuffle(order)
    made.append(_columns(forms.batch_writing, rows, order, limit, chance))
    return made


def _chunk(chance: random.Random) -> bytes | None:
    return None if chance.random() < 0.2 else chance.randbytes(chance.choice(SIZES))


def _row(chance: random.Random) -> Row:
    extreme = chance.random() < 0.1
    timestamp = chance.choice(EXTREMES) if extreme else chance.randrange(1 << 41)
    count = chance.choice((0, 0, 1, 2, 3, 70 if chance.random() < 0.1 else 0))
    headers = tuple((chance.choice(NAMES), _chunk(chance)) for _ in range(count))
    return Row(timestamp, _chunk(chance), _chunk(chance), headers)


def _decoded(batch: bytearray, rows: Sequence[Row], largest: int) -> bytes:
    """Finish a batch and see that it holds the rows; its bytes."""
    finish(batch, 0, len(rows), (rows[0].timestamp, largest))
    assert largest == max(row.timestamp for row in rows), "the largest timestamp is wrong"
    records, _ = decode_records(batch, "t", 0)
    found = [Row(each.timestamp, each.key, each.value, each.headers) for each in records]
    assert found == list(rows), f"what was written is {found}, not {rows}"
    return bytes(batch)


def _append(objects: Any, rows: Sequence[Row], limit: int) -> list[object]:
    """The rows one by one, in as many batches as the limit takes."""
    made: list[object] = []
    appender, taken = objects.RecordAppender(limit), 0
    for index, row in enumerate(rows):
        headers = list(row.headers) if index % 2 else row.headers
        if appender.append(row.timestamp, row.key, row.value, headers) is None:
            made.append(_taken(appender, rows[taken:index]))
            appender, taken = objects.RecordAppender(limit), index
            assert appender.append(*row) is not None, "the first record always fits"
    made.append(_taken(appender, rows[taken:]))
    return made


def _taken(appender: Any, rows: Sequence[Row]) -> tuple[int, bytes]:
    size, batch = appender.size, appender.take()
    assert size == len(batch), "the size is not that of the batch"
    assert appender.first_timestamp == rows[0].timestamp, "the first timestamp is wrong"
    return size, _decoded(batch, rows, appender.max_timestamp)


def _columns(
    kernel: Any, rows: Sequence[Row], order: Sequence[int], limit: int, chance: random.Random
) -> list[object]:
    """The rows as columns, in an order; spoilt columns have codes in the place of bytes."""
    spoilt = chance.random() < 0.5
    table = _table(kernel, rows, chance, spoilt=spoilt)
    if table is None:
        return ["refused"]
    made: list[object] = []
    places, sizes = array("i", order), array("i", bytes(4 * len(rows)))
    if spoilt and chance.random() < 0.2:
        places[chance.randrange(len(rows))] = chance.choice((-1, len(rows), 2**31 - 1))
    first = 0
    while first < len(rows):
        state = array("q", bytes(24))
        count = kernel.sizes(table, places, first, len(rows), limit, sizes, state)
        made.append(count)
        if count < 1:
            return made
        wrong = array("B", bytes(max(0, state[0] - 1)))
        made.append(kernel.write(table, places, first, first + count, sizes, memoryview(wrong), 0))
        exact = array("B", bytes(state[0]))
        end = kernel.write(table, places, first, first + count, sizes, memoryview(exact), 0)
        made += [end, state.tolist(), bytes(exact)]
        assert end == state[0], "the records have another size than the one returned"
        if not spoilt:
            batch = bytearray(HEADER_SIZE) + exact
            _decoded(batch, [rows[at] for at in order[first : first + count]], state[2])
        first += count
    return made


def _table(kernel: Any, rows: Sequence[Row], chance: random.Random, *, spoilt: bool) -> Any:
    """The kernel's `Rows`; None where it does not take them."""
    headers = [each for row in rows for each in row.headers]
    header_ends = array("i", (0,))
    for row in rows:
        header_ends.append(header_ends[-1] + len(row.headers))
    if not headers and chance.random() < 0.5:
        header_ends = array("i")
    if spoilt:
        _spoil(header_ends, chance)
    parts: tuple[Sequence[bytes | None], ...] = (
        [row.key for row in rows],
        [row.value for row in rows],
        [name.encode() for name, _ in headers],
        [content for _, content in headers],
    )
    try:
        key, value, names, contents = (
            _strings(kernel, part, chance, spoilt=spoilt) for part in parts
        )
        times = array("q", (row.timestamp for row in rows))
        return kernel.Rows(times, key, value, header_ends, names, contents)
    except ValueError:
        return None


def _strings(
    kernel: Any, column: Sequence[bytes | None], chance: random.Random, *, spoilt: bool
) -> Any:
    """A column somewhere within larger buffers, as slices of Arrow arrays are."""
    before, shift = chance.randbytes(chance.randrange(4)), chance.randrange(10)
    ends, bits = array("i", (len(before),)), array("B", bytes((shift + len(column) + 7) // 8))
    data = array("B", before)
    for at, each in enumerate(column, shift):
        data.frombytes(each or b"")
        ends.append(len(data))
        bits[at >> 3] |= (each is not None) << (at & 7)
    if None not in column and chance.random() < 0.5:
        bits = array("B")
    if not any(each is not None for each in column) and chance.random() < 0.5:
        ends = array("i")  # null in every row
        bits = array("B")
    if spoilt:
        _spoil(ends, chance)
        shift += chance.choice((0, 0, 0, 0, -11, 9))
    return kernel.Strings(ends, memoryview(data), bits, shift)


def _spoil(ends: "array[int]", chance: random.Random) -> None:
    """Make offsets wrong, in a fifth of all cases."""
    if ends and chance.random() < 0.2:
        at = chance.randrange(len(ends))
        ends[at] = chance.choice((-1, ends[at] + 1, ends[at] - 1, 2**31 - 1, -(2**31), 0))
    if ends and chance.random() < 0.05:
        ends.pop()
