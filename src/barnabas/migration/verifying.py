"""Compare the target's records with the source checksums in the map."""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.migration.errors import MigrationStopped
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.payload_sum import PayloadSum
from barnabas.migration.target import MigrationTarget


class VerifiedCount(NamedTuple):
    """The number of matching records, and of those that the target has deleted since."""

    records: int
    deleted: int


def verify(
    target: MigrationTarget, partition: int, offsets: OffsetMap, on_progress: Callable[[int], None]
) -> VerifiedCount:
    """Read a target partition and compare it with the map, block by block.

    `on_progress` receives numbers of records. Blocks with deleted records are skipped.

    Raises:
        MigrationStopped: a block has other records, or the target has more or fewer of them.
    """
    begin, end = target.bounds(partition)
    blocks = [block for block in offsets.blocks(partition) if block.sum.number]
    expected = blocks[-1].next_offset if blocks else 0
    if end != expected:
        raise MigrationStopped(
            f"partition {partition} of the target has {end} records, not {expected}"
        )
    left = iter([block for block in blocks if block.offset >= begin])
    block = next(left, None)
    if block is None:
        return VerifiedCount(0, expected)
    first, found = block.offset, PayloadSum()
    for column in target.values(partition, first, expected):
        at, count = 0, len(column.ends) - 1
        while at < count and block is not None:
            taken = min(count - at, block.sum.number - found.number)
            found = found.add(column, at, at + taken)
            at += taken
            if found.number == block.sum.number:
                if found != block.sum:
                    raise MigrationStopped(
                        f"partition {partition} of the target has other records from offset "
                        f"{block.offset} to {block.next_offset} than the source from byte "
                        f"{block.start} to {block.end}"
                    )
                block, found = next(left, None), PayloadSum()
        on_progress(count)
    if block is not None:
        raise MigrationStopped(
            f"partition {partition} of the target lacks records from offset {block.offset} on"
        )
    return VerifiedCount(expected - first, first)
