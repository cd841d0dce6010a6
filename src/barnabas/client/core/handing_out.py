"""Fetched parts to the user: as Record objects a few at a time, or as Arrow all at once.

A part is decoded once, whole; what a poll leaves of it waits here.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from barnabas.client.core.arrow_module import arrow_module
from barnabas.client.core.fetched import Fetched
from barnabas.client.core.fetching import Fetcher, Position
from barnabas.errors import CorruptRecord
from barnabas.records.columns import Wanted, decode_columns
from barnabas.records.reading import decode_records
from barnabas.records.record import Record
from barnabas.types import TopicPartition

_NOWHERE: Final = TopicPartition("", 0)


@dataclass(slots=True)
class _Begun:
    """A part of which records were given already."""

    part: Fetched
    turn: int
    records: list[Record]
    given: int = 0


class HandingOut:
    """Moves positions on as records are given; `count` is how many were."""

    def __init__(self, fetcher: Fetcher, *, check_crcs: bool) -> None:
        self._fetcher = fetcher
        self._check_crcs = check_crcs
        self._begun: deque[_Begun] = deque()
        self.count = 0

    def records(self, most: int) -> list[Record]:
        """Up to `most` records of what is here.

        Raises:
            CorruptRecord: a batch is not what it says. The position stays before it.
        """
        given: list[Record] = []
        while len(given) < most:
            begun = self._next_begun() or self._begin()
            if begun is None:
                break
            position = self._fetcher.positions[begun.part.where]
            records, first = begun.records, begun.given
            last = min(len(records), first + most - len(given))
            if last < len(records):
                begun.given = last
                self._begun.appendleft(begun)
                position.offset = records[last - 1].offset + 1
            else:
                position.offset = begun.part.next_offset
            piece = records if last - first == len(records) else records[first:last]
            given = piece if not given else given + piece
        self.count += len(given)
        return given

    def parts(self) -> list[tuple[Fetched, int]]:
        """All parts that are here, each with where to begin; positions stand behind them."""
        found: list[tuple[Fetched, int]] = []
        while (begun := self._next_begun()) is not None:
            found.append((begun.part, self._fetcher.positions[begun.part.where].offset))
        while (part := self._fetcher.take()) is not None:
            found.append((part, part.start))
        for part, _ in found:
            self._fetcher.positions[part.where].offset = part.next_offset
        return found

    def table(self, parts: list[tuple[Fetched, int]], wanted: Wanted) -> Any:
        """The records of parts as a pyarrow.Table; decodes each partition's parts at once.

        Raises:
            CorruptRecord: a batch is not what it says.
        """
        pa = arrow_module("fetch_arrow")
        from barnabas.records.arrow import to_arrow

        by_partition: dict[TopicPartition, list[tuple[Fetched, int]]] = {}
        for part, start in parts:
            by_partition.setdefault(part.where, []).append((part, start))
        batches = []
        for where, listed in (by_partition or {_NOWHERE: []}).items():
            columns = self._decode(where, listed, wanted)
            arrays: dict[str, Any] = {
                "topic": pa.repeat(pa.scalar(where.topic, pa.string()), columns.count),
                "partition": pa.repeat(pa.scalar(where.partition, pa.int32()), columns.count),
                **to_arrow(columns),
            }
            batches.append(pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays)))
        table = pa.Table.from_batches(batches)
        self.count += len(table)
        return table

    def _decode(
        self, where: TopicPartition, listed: list[tuple[Fetched, int]], wanted: Wanted
    ) -> Any:
        start = listed[0][1] if listed else 0
        aborted = tuple(row for part, _ in listed for row in part.aborted)
        try:
            return decode_columns(
                [part.records for part, _ in listed],
                wanted=wanted,
                start=start,
                check_crcs=self._check_crcs,
                aborted=aborted,
            )
        except CorruptRecord as error:
            raise self._located(where, start, error) from error

    def _begin(self) -> _Begun | None:
        part = self._fetcher.take()
        if part is None:
            return None
        where, start = part.where, part.start
        try:
            records, _ = decode_records(
                part.records,
                where.topic,
                where.partition,
                start=start,
                check_crcs=self._check_crcs,
                aborted=part.aborted,
            )
        except CorruptRecord as error:
            self._fetcher.move(where, start)
            raise self._located(where, start, error) from error
        return _Begun(part, self._fetcher.positions[where].turn, records)

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

    def _located(self, where: TopicPartition, offset: int, error: CorruptRecord) -> CorruptRecord:
        place = f"{where.topic}-{where.partition}, fetched at offset {offset}"
        return CorruptRecord(f"{place}: {error}; seek past it to go on")
