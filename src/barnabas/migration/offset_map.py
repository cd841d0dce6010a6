"""OffsetMap: maps source offsets to target offsets, as lines of JSON in a file.

The first line names source and target. Each other line is a block: the bytes [start, end) of a
source partition became `count` records from `offset` on, with checksums (see `PayloadSum`), or were
left out. A block replaces those of its partition that start at or after it. A line without a block
names the current producer. The last line may be incomplete after a crash.
"""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from barnabas.migration.errors import MigrationStopped
from barnabas.migration.payload_sum import PayloadSum
from barnabas.ports import File

FORMAT = 1
_FORMAT = "barnabas_migration"


class MappedBlock(NamedTuple):
    """Source bytes [start, end), and their records [offset, offset + sum.number)."""

    partition: int
    start: int
    end: int
    offset: int
    sum: PayloadSum
    left_out: str = ""

    @property
    def next_offset(self) -> int:
        """The offset after its records."""
        return self.offset + self.sum.number


class BatchProducer(NamedTuple):
    """The producer of the batches."""

    producer_id: int
    epoch: int


class OffsetMap:
    """The blocks of each target partition, in order, and their file."""

    def __init__(self, file: File, described: Mapping[str, object]) -> None:
        """Read an existing file, or create it.

        Raises:
            MigrationStopped: the file belongs to another migration, or is not a map.
            StorageError: it cannot be read or written.
        """
        self.producer: BatchProducer | None = None
        self._file = file
        self._blocks: defaultdict[int, list[MappedBlock]] = defaultdict(list)
        head = {_FORMAT: FORMAT, **described}
        text = file.read(0, file.size())
        self._end = text.rfind(b"\n") + 1
        lines = text[: self._end].splitlines()
        if not lines:
            self._append(head)
        elif (found := _parsed(lines[0], 1)) != head:
            wrong = [name for name in head if found.get(name) != head[name]]
            raise MigrationStopped(
                f"the map belongs to another migration: its {wrong[0]} is {found.get(wrong[0])}; "
                "--map names another file"
                if found.get(_FORMAT) == FORMAT and wrong
                else "the file for the map is not a migration map"
            )
        for number, line in enumerate(lines[1:], start=2):
            self._take(_parsed(line, number), number)

    def blocks(self, partition: int) -> list[MappedBlock]:
        """The blocks of one target partition."""
        return self._blocks[partition]

    def forget_behind(self, partition: int, end: int) -> None:
        """Discard blocks after `end`, because the target has no records there: they are copied again."""
        blocks = self._blocks[partition]
        while blocks and blocks[-1].next_offset > end:
            blocks.pop()

    def find(self, partition: int, start: int) -> MappedBlock | None:
        """The last block that starts at or before a source byte."""
        blocks = self._blocks[partition]
        at = bisect_right(blocks, start, key=lambda block: block.start) - 1
        return blocks[at] if at >= 0 else None

    def add(self, block: MappedBlock) -> None:
        """Append a block whose records are stored."""
        self._keep(block)
        row: dict[str, object] = {
            "partition": block.partition,
            "start": block.start,
            "end": block.end,
            "offset": block.offset,
            "count": block.sum.number,
        }
        if block.left_out:
            row["left_out"] = block.left_out
        else:
            row |= {"data_crc32c": block.sum.data, "lengths_crc32c": block.sum.lengths}
        self._append(row)

    def write_as(self, producer: BatchProducer) -> None:
        """Append the producer of the next batches, before it is used."""
        self.producer = producer
        self._append({"producer_id": producer.producer_id, "epoch": producer.epoch})
        self._file.sync()

    def _keep(self, block: MappedBlock) -> None:
        blocks = self._blocks[block.partition]
        while blocks and blocks[-1].start >= block.start:
            blocks.pop()
        blocks.append(block)

    def _take(self, row: dict[str, Any], number: int) -> None:
        try:
            if "producer_id" in row:
                self.producer = BatchProducer(int(row["producer_id"]), int(row["epoch"]))
                return
            data, lengths = row.get("data_crc32c", 0), row.get("lengths_crc32c", 0)
            found = PayloadSum(row["count"], data, lengths)
            where = (row["partition"], row["start"], row["end"], row["offset"])
        except (KeyError, TypeError, ValueError):
            raise MigrationStopped(f"line {number} of the map is invalid") from None
        self._keep(MappedBlock(*where, found, row.get("left_out", "")))

    def _append(self, row: Mapping[str, object]) -> None:
        line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
        self._file.write(self._end, [line])
        self._end += len(line)


def _parsed(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise MigrationStopped(f"line {number} of the map is invalid")
    return found
