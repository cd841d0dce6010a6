"""Fetched parts to the user: as Record objects a few at a time, or as Arrow all at once.

A part is decoded once, whole; what a poll leaves of it waits here.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from barnabas.client.core.arguments.arrow_module import arrow_module
from barnabas.client.core.consumer.fetched import Fetched
from barnabas.client.core.consumer.fetcher import Fetcher, Position
from barnabas.client.core.consumer.readable_part import sound_parts
from barnabas.errors import CorruptRecord
from barnabas.records.columns.columns import Wanted, decode_columns
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

_NOWHERE: Final = TopicPartition("", 0)


@dataclass(slots=True, eq=False)
class _Begun:
    """A part of which records were given already."""

    part: Fetched
    turn: int
    records: list[Record]
    given: int = 0


class HandingOut:
    """Moves positions on as records are given; `count` is how many were.

    `starts` says where what was given last begins in each partition, for `take_back`; who gives sets
    it to an empty one before.
    """

    def __init__(self, fetcher: Fetcher, *, check_crcs: bool) -> None:
        self._fetcher = fetcher
        self._check_crcs = check_crcs
        self._begun: deque[_Begun] = deque()
        self.starts: dict[TopicPartition, int] = {}
        self.count = 0

    def records(self, most: int) -> list[Record]:
        """Up to `most` records of what is here.

        Where a batch is not what it says, the records before it are given, the position stays at
        it, and a CorruptRecord is put with the failures.
        """
        given: list[Record] = []
        while len(given) < most:
            begun = self._next_begun() or self._begin()
            if begun is None:
                break
            position = self._fetcher.positions[begun.part.where]
            records, first = begun.records, begun.given
            last = min(len(records), first + most - len(given))
            if begun.part.where not in self.starts and first < last:
                self.starts[begun.part.where] = records[first].offset
            begun.given = last
            if last < len(records):
                self._begun.appendleft(begun)
                position.offset = records[last - 1].offset + 1
            else:
                position.offset = begun.part.next_offset
            piece = records if last - first == len(records) else records[first:last]
            given = piece if not given else given + piece
        self.count += len(given)
        return given

    def part_by_record(self) -> Iterator[Record] | None:
        """The records of the next part that is here, one by one; None where nothing is.

        The position moves on with each, so that whoever stops, or commits, in between has the rest
        still before them. Between two of them all may be done that can be done between two polls.
        """
        begun = self._next_begun() or self._begin()
        if begun is None:
            return None
        self._begun.appendleft(begun)
        return self._by_record(begun)

    def _by_record(self, begun: _Begun) -> Iterator[Record]:
        position, records = self._fetcher.positions[begun.part.where], begun.records
        last = len(records) - 1
        if last < 0:
            position.offset = begun.part.next_offset
        while begun.given <= last and position.turn == begun.turn and not position.paused:
            record = records[begun.given]
            position.offset = record.offset + 1 if begun.given < last else begun.part.next_offset
            begun.given += 1
            self.count += 1
            yield record
        if begun.given > last and begun in self._begun:
            self._begun.remove(begun)

    def take_back(self) -> None:
        """What was given last reached nobody: it is given again."""
        starts, self.starts = self.starts, {}
        for where, offset in starts.items():
            if where in self._fetcher.positions:
                self._fetcher.move(where, offset)

    def take_back_record(self) -> None:
        """As `take_back`, of the last one of those that are given one by one."""
        begun = self._begun[0]
        begun.given -= 1
        self.count -= 1
        self._fetcher.positions[begun.part.where].offset = begun.records[begun.given].offset

    def parts(self) -> list[tuple[Fetched, int]]:
        """All parts that are here, each with where to begin; positions stand behind them."""
        found: list[tuple[Fetched, int]] = []
        while (begun := self._next_begun()) is not None:
            begun.given = len(begun.records)
            found.append((begun.part, self._fetcher.positions[begun.part.where].offset))
        while (part := self._fetcher.take()) is not None:
            found.append((part, part.start))
        for part, _ in found:
            self._fetcher.positions[part.where].offset = part.next_offset
        return found

    def table(self, parts: list[tuple[Fetched, int]], wanted: Wanted) -> Any:
        """The records of parts as a pyarrow.Table; decodes each partition's parts at once.

        A batch that is not what it says is dealt with as in `records`.
        """
        pa = arrow_module("fetch_arrow")
        by_partition: dict[TopicPartition, list[tuple[Fetched, int]]] = {}
        for part, start in parts:
            by_partition.setdefault(part.where, []).append((part, start))
        self.starts = {where: listed[0][1] for where, listed in by_partition.items()}
        try:
            table = pa.Table.from_batches(
                [
                    self._batch(where, listed, wanted)
                    for where, listed in (by_partition or {_NOWHERE: []}).items()
                ]
            )
        except CorruptRecord:
            # What no batch can be named for: nothing is given, so nothing may count as given.
            self.take_back()
            raise
        self.count += len(table)
        return table

    def _batch(
        self, where: TopicPartition, listed: list[tuple[Fetched, int]], wanted: Wanted
    ) -> Any:
        pa = arrow_module("fetch_arrow")
        from barnabas.records.columns.arrow import to_arrow

        columns = self._decode(where, listed, wanted)
        arrays: dict[str, Any] = {
            "topic": pa.repeat(pa.scalar(where.topic, pa.string()), columns.count),
            "partition": pa.repeat(pa.scalar(where.partition, pa.int32()), columns.count),
            **to_arrow(columns),
        }
        return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))

    def _decode(
        self, where: TopicPartition, listed: list[tuple[Fetched, int]], wanted: Wanted
    ) -> Any:
        try:
            return self._columns(listed, wanted)
        except CorruptRecord as error:
            return self._columns(self._sound(where, listed, error), wanted)

    def _columns(self, listed: list[tuple[Fetched, int]], wanted: Wanted) -> Any:
        return decode_columns(
            [part.records for part, _ in listed],
            wanted=wanted,
            start=listed[0][1] if listed else 0,
            check_crcs=self._check_crcs,
            aborted=tuple(row for part, _ in listed for row in part.aborted),
        )

    def _begin(self) -> _Begun | None:
        part = self._fetcher.take()
        if part is None:
            return None
        try:
            records = self._decoded(part)
        except CorruptRecord as error:
            ((part, _),) = self._sound(part.where, [(part, part.start)], error)
            records = self._decoded(part)
        return _Begun(part, self._fetcher.positions[part.where].turn, records)

    def _decoded(self, part: Fetched) -> list[Record]:
        records, _ = decode_records(
            part.records,
            part.where.topic,
            part.where.partition,
            start=part.start,
            check_crcs=self._check_crcs,
            aborted=part.aborted,
        )
        return records

    def _sound(
        self, where: TopicPartition, listed: list[tuple[Fetched, int]], error: CorruptRecord
    ) -> list[tuple[Fetched, int]]:
        """What can be read of parts that cannot be read whole.

        The partition is fetched again from its corrupt batch on, for as long as nobody moves past.
        """
        sound, located = sound_parts(listed, check_crcs=self._check_crcs)
        if located is None:
            raise error
        self._fetcher.move(where, sound[-1][0].next_offset)
        self._fetcher.failures.append(located)
        return sound

    def _next_begun(self) -> _Begun | None:
        """What was begun and may go on; what a seek or another assignment made stale is dropped."""
        for _ in range(len(self._begun)):
            begun = self._begun.popleft()
            position: Position | None = self._fetcher.positions.get(begun.part.where)
            if position is None or position.turn != begun.turn:
                continue
            if not position.paused:
                return begun
            self._begun.append(begun)
        return None
