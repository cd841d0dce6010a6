"""The calls of Consumer about its partitions and positions. For asyncio."""

import asyncio
from collections.abc import Iterable
from typing import Any

from barnabas.client.aio.consumer.offset_calls import OffsetCalls
from barnabas.client.aio.consumer.polling import Polling
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.arguments.partition_arguments import (
    Where,
    offset_at,
    partition_at,
    partitions_at,
)
from barnabas.client.core.consumer.fetcher import Fetcher
from barnabas.errors import LocalProtocolError
from barnabas.types import TopicPartition

_UNKNOWN = -1


class PositionCalls(OffsetCalls):
    """The partitions that a Consumer reads, and where it is in each."""

    polling: Polling
    _driver: FetchDriver
    _fetcher: Fetcher
    _closed: bool

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those already assigned keep their positions.

        Raises:
            LocalProtocolError: the consumer is subscribed, so its group assigns the partitions.
        """
        self._check_open()
        wanted = partitions_at(partitions)
        if self.group is not None and self.group.subscribed:
            raise LocalProtocolError("the consumer is subscribed: unsubscribe before assign")
        self._fetcher.assign(wanted)
        self._cluster.metadata.topics = {where.topic for where in wanted}
        self._driver.pump()

    def assignment(self) -> list[TopicPartition]:
        """Return the partitions that are read."""
        return list(self._fetcher.positions)

    def seek(self, where: Where, offset: int) -> None:
        """Continue at `offset`. Fetched records are dropped."""
        key = partition_at(where)
        self._fetcher.move(key, offset_at(key, offset))
        self.polling.note_use()
        self._driver.pump()

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Continue at the start offset (None: of all partitions)."""
        self._seek_to_end_of_log(partitions, EARLIEST)

    def seek_to_end(self, *partitions: Where) -> None:
        """Continue after the last record (None: of all partitions)."""
        self._seek_to_end_of_log(partitions, LATEST)

    async def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """Return the offset of the next record that `poll` returns from a partition."""
        key = partition_at(where)
        found = self._fetcher.position(key)
        if not found.known:
            what = f"finding the position of {key.topic}-{key.partition}"
            await self._within(timeout_s, what, self._driver.known(key))
        self.polling.note_use()
        return found.offset

    def lag(self, where: Where) -> int | None:
        """Return the distance from a partition's position to its end, in offsets, as of the last fetch.

        None if nothing was fetched yet, or the position is unknown.
        """
        return self._fetcher.position(partition_at(where)).lag

    def pause(self, *partitions: Where) -> None:
        """Stop returning records of these partitions."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = True

    def resume(self, *partitions: Where) -> None:
        """Return records of these partitions again."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = False
        self._driver.pump()

    def paused(self) -> list[TopicPartition]:
        """Return the paused partitions."""
        return [where for where, position in self._fetcher.positions.items() if position.paused]

    def _seek_to_end_of_log(self, partitions: Iterable[Where], end: int) -> None:
        for where in [partition_at(where) for where in partitions] or self.assignment():
            self._fetcher.move(where, _UNKNOWN, end)
        self.polling.note_use()
        self._driver.pump()

    async def _within(self, timeout_s: float | None, what: str, work: Any) -> Any:
        deadline = self.deadline(timeout_s)
        return await self._cluster.limits.within(deadline, what, asyncio.ensure_future(work))

    def _check_open(self) -> None:
        if self._closed:
            raise LocalProtocolError("the consumer is closed")
