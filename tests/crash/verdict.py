"""Was every promise kept? The whole log, read at the end, against what the writers remember."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.crash.writers import Writer

Log = Mapping[int, Sequence[tuple[int, bytes]]]
"""Each partition's records as (offset, value), in the order they were read."""


def complaints(log: Log, writers: Sequence[Writer]) -> list[str]:
    """What went wrong, one line each; nothing if every promise was kept."""
    found: list[str] = []
    for partition, records in log.items():
        offsets = [offset for offset, _ in records]
        if offsets != list(range(len(offsets))):
            found.append(f"partition {partition}: offsets are not 0 to {len(offsets) - 1}")
    content = {(part, offset): value for part, records in log.items() for offset, value in records}
    for writer in writers:
        found += [f"{writer.name}: refused: {why}" for why in writer.promises.broken]
        for place, value in writer.promises.kept.items():
            if content.get(place) != value:
                found.append(f"{writer.name}: {value!r} acknowledged at {place}, there is "
                             f"{content.get(place)!r}")  # fmt: skip
        found += _order(log, writer)
    return found


def _order(log: Log, writer: Writer) -> list[str]:
    found = []
    numbers = _numbers_of(log, writer.name)
    for partition, seen in numbers.items():
        expected = list(range(writer.promises.sent))
        once = list(dict.fromkeys(seen))
        if once != expected:
            found.append(f"{writer.name}, partition {partition}: lost or out of order")
        if writer.idempotent and seen != once:
            found.append(f"{writer.name}, partition {partition}: {len(seen) - len(once)} twice")
    if len(numbers) != len(log):
        found.append(f"{writer.name}: nothing at all in some partition")
    return found


def _numbers_of(log: Log, name: str) -> dict[int, list[int]]:
    """The numbers a writer's records carry, by partition, in the order of the log."""
    found: dict[int, list[int]] = defaultdict(list)
    for partition, records in log.items():
        for _offset, value in records:
            writer, _partition, number = value.split(b":")
            if writer == name.encode():
                found[partition].append(int(number))
    return found
