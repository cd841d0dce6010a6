"""The records of a download, part by part, within the memory that all downloads may hold."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from barnabas.aio import Consumer
from barnabas.console.records.record_query import RecordQuery, reading
from barnabas.console.records.record_scan import ScannedRecords
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.records.start_position import StartPosition
from barnabas.console.records.value_pieces import size_of
from barnabas.console.settings import ConsoleSettings
from barnabas.console.streams import DownloadMemory, EndedEarly
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock

_AT_ONCE: Final = 1000
_AT_ONCE_BYTES: Final = 8 << 20
_SECONDS: Final = 600.0


class RecordParts:
    """Reads for one download, with consumers of its own that the `async with` block closes."""

    def __init__(self, settings: ConsoleSettings, isolation: str, held: DownloadMemory) -> None:
        self._settings = settings
        self._isolation = isolation
        self._held = held
        self._clock = SystemClock()
        self._until = self._clock.monotonic() + _SECONDS
        self._stack = AsyncExitStack()
        self._consumer: Consumer | None = None

    async def __aenter__(self) -> Self:
        """Nothing is open yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the consumer."""
        await self._stack.aclose()

    async def in_order(
        self, asked: RecordQuery, most: int
    ) -> AsyncGenerator[Sequence[Record], None]:
        """The records of a page, and up to `most` that follow, in order of offsets.

        The bytes of a part count as held from before it is read until the next part is requested.

        Raises:
            EndedEarly: a record is damaged, or it takes too long.
        """
        forward = await self._forward(asked, most)
        async with aclosing(self._parts(forward, most)) as parts:
            async for found in parts:
                yield found.records

    async def _forward(self, asked: RecordQuery, most: int) -> RecordQuery:
        """The same records from their first one on.

        For a page that goes backward, the beginning is searched first, without keeping records.
        """
        if not asked.start.backward:
            return asked
        ends, lows = asked.start.places, dict(asked.start.places)
        async with aclosing(self._parts(asked, most)) as parts:
            async for found in parts:
                # Of those that are not in it, everything was read.
                lows = {one: found.following.get(one, asked.bounds[one][0]) for one in lows}
        bounds = {
            one: (first, min(end, ends.get(one, end))) for one, (first, end) in asked.bounds.items()
        }
        return replace(asked, start=StartPosition(lows, backward=False), bounds=bounds)

    async def _parts(self, asked: RecordQuery, most: int) -> AsyncGenerator[ScannedRecords, None]:
        """The records in parts: each is what a page would have, for a budget of its own.

        How large a part is shows itself when it was read. One that is larger than was thought, and
        does not fit, is dropped, and read again when there is room.
        """
        size = _AT_ONCE_BYTES
        while most:
            if self._clock.monotonic() >= self._until:
                raise EndedEarly(f"it took more than {_SECONDS:.0f} seconds")
            async with self._held.taken(size) as charge:
                async with self._held.reading:
                    found = await self._read(replace(asked, count=min(most, _AT_ONCE)))
                size = max(_AT_ONCE_BYTES, sum(map(size_of, found.records)))
                if not charge.grow(size):
                    # Nothing of it may stay here while this waits.
                    del found
                    continue
                most -= len(found.records)
                following, problem = found.following, found.problem
                yield found
                del found
            if problem:
                raise EndedEarly(problem)
            if not following:
                break
            asked = replace(asked, start=StartPosition(following, asked.start.backward))

    async def _read(self, part: RecordQuery) -> ScannedRecords:
        if self._consumer is None:
            connecting = reading(self._settings, self._isolation)
            self._consumer = await self._stack.enter_async_context(connecting)
        budget = ScanBudget(self._clock, bytes=_AT_ONCE_BYTES)
        found = await part.run(self._consumer, budget)
        if sum(map(size_of, found.records)) > _AT_ONCE_BYTES:
            # The consumer has already requested the next records: they are as large, and do not count as held.
            self._consumer = None
            await self._stack.aclose()
        return found
