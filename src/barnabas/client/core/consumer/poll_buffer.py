"""Returns fetched parts to the user: as Record objects a few at a time, or as Arrow all at once.

A part is decoded once, completely; what a poll leaves over waits here.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from barnabas.client.core.arguments.arrow_module import arrow_module
from barnabas.client.core.consumer.fetch_position import FetchPosition
from barnabas.client.core.consumer.fetched import FetchedRecords
from barnabas.client.core.consumer.fetcher import Fetcher
from barnabas.client.core.consumer.readable_part import sound_parts
from barnabas.errors import CorruptRecord
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

_NOWHERE: Final = TopicPartition("", 0)


@dataclass(slots=True, eq=False)
class _Begun:
    """A part whose first records were already returned."""

    part: FetchedRecords
    turn: int
    records: list[Record]
    given: int = 0


class PollBuffer:
    """Advances positions as records are returned; `count` is their number.

    `starts` holds, per partition, where the last returned records start, for `take_back`; callers
    clear it first.
    """

    def __init__(self, fetcher: Fetcher, *, check_crcs: bool) -> None:
        self._fetcher = fetcher
        self._check_crcs = check_crcs
        self._begun: deque[_Begun] = deque()
        self.starts: dict[TopicPartition, int] = {}
        self.count = 0

    def records(self, most: int) -> list[Record]:
        """Return up to `most` available records.

        At a damaged batch, the records before it are returned, the position stays there, and a
        CorruptRecord is added to the failures.
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
        """Return the records of the next available part, one by one; None without one.

        The position advances with each, so that a caller that stops or commits in between reads the
        rest later. Between two records, everything is allowed that is allowed between two polls.
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
        """Nobody received the last returned records: return them again."""
        starts, self.starts = self.starts, {}
        for where, offset in starts.items():
            if where in self._fetcher.positions:
                self._fetcher.move(where, offset)

    def take_back_record(self) -> None:
        """Like `take_back`, for the last record returned one by one."""
        begun = self._begun[0]
        begun.given -= 1
        self.count -= 1
        self._fetcher.positions[begun.part.where].offset = begun.records[begun.given].offset

    def parts(self) -> list[tuple[FetchedRecords, int]]:
        """Return all available parts, each with its first record; positions advance past them."""
        found: list[tuple[FetchedRecords, int]] = []
        while (begun := self._next_begun()) is not None:
            begun.given = len(begun.records)
            found.append((begun.part, self._fetcher.positions[begun.part.where].offset))
        while (part := self._fetcher.take()) is not None:
            found.append((part, part.start))
        for part, _ in found:
            self._fetcher.positions[part.where].offset = part.next_offset
        return found

    def table(self, parts: list[tuple[FetchedRecords, int]], wanted: ColumnSelection) -> Any:
        """Return the records of parts as a pyarrow.Table; decode each partition's parts at once.

        A damaged batch is handled as in `records`.
        """
        pa = arrow_module("fetch_arrow")
        by_partition: dict[TopicPartition, list[tuple[FetchedRecords, int]]] = {}
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
            # No batch is known to be damaged: nothing is returned, so no record may count as
            # returned.
            self.take_back()
            raise
        self.count += len(table)
        return table

    def _batch(
        self,
        where: TopicPartition,
        listed: list[tuple[FetchedRecords, int]],
        wanted: ColumnSelection,
    ) -> Any:
        pa = arrow_module("fetch_arrow")
        from barnabas.records.columns.arrow import int_scalar, text_scalar, to_arrow

        columns = self._decode(where, listed, wanted)
        arrays: dict[str, Any] = {
            "topic": pa.repeat(text_scalar(where.topic), columns.count),
            "partition": pa.repeat(int_scalar(where.partition), columns.count),
            **to_arrow(columns),
        }
        return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))

    def _decode(
        self,
        where: TopicPartition,
        listed: list[tuple[FetchedRecords, int]],
        wanted: ColumnSelection,
    ) -> Any:
        try:
            return self._columns(listed, wanted)
        except CorruptRecord as error:
            return self._columns(self._sound(where, listed, error), wanted)

    def _columns(self, listed: list[tuple[FetchedRecords, int]], wanted: ColumnSelection) -> Any:
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

    def _decoded(self, part: FetchedRecords) -> list[Record]:
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
        self, where: TopicPartition, listed: list[tuple[FetchedRecords, int]], error: CorruptRecord
    ) -> list[tuple[FetchedRecords, int]]:
        """The readable part of damaged parts.

        The partition is fetched again from its damaged batch on, until the user seeks past it.
        """
        sound, located = sound_parts(listed, check_crcs=self._check_crcs)
        if located is None:
            raise error
        self._fetcher.move(where, sound[-1][0].next_offset)
        self._fetcher.failures.append(located)
        return sound

    def _next_begun(self) -> _Begun | None:
        """Return a started part that is still current; drop those that a seek or assignment made stale."""
        for _ in range(len(self._begun)):
            begun = self._begun.popleft()
            position: FetchPosition | None = self._fetcher.positions.get(begun.part.where)
            if position is None or position.turn != begun.turn:
                continue
            if not position.paused:
                return begun
            self._begun.append(begun)
        return None
