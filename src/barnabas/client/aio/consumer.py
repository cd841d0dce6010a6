"""Consumer for asyncio. `client.sync.consumer` has the same calls for plain threads."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sized
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar

from barnabas.client.aio.asking import known_topic, lookup_offsets
from barnabas.client.aio.cluster import Cluster
from barnabas.client.aio.fetch_driver import FetchDriver
from barnabas.client.aio.group_offsets import GroupOffsets
from barnabas.client.aio.surroundings import Surroundings
from barnabas.client.core.consumer_options import ConsumerOptions
from barnabas.client.core.descriptions import EARLIEST, LATEST, OffsetAndTimestamp
from barnabas.client.core.handing_out import HandingOut
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.not_there import CONSUMER, missing, refuse_arguments
from barnabas.client.core.properties import properties
from barnabas.client.core.where import Where, partition_at, partitions_at, partitions_to
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import ConfigError, LocalProtocolError
from barnabas.records.columns import Wanted
from barnabas.records.record import Record
from barnabas.types import TopicPartition

_UNKNOWN = -1
_Found = TypeVar("_Found", bound=Sized)


class Consumer:
    """Reads partitions that it was told to (`assign`). `async with` it, or `close` it.

    Properties are Kafka's ("bootstrap.servers", "auto.offset.reset", "isolation.level", ...), in a
    mapping or as keywords with underscores. With "group.id" it begins at the group's committed
    offsets and commits (by itself unless enable.auto.commit is false), without joining the group.
    All calls from the loop it was made on, one at a time.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        around: Surroundings | None = None,
        **more: object,
    ) -> None:
        loaded = ConsumerConfig.load(properties(config, more))
        self._options = ConsumerOptions.of(loaded)
        self._cluster = Cluster(loaded, around or Surroundings.here("Consumer"))
        self._cluster.creates_topics = loaded.allow_auto_create_topics
        self._cluster.tells_of_new_topics = True
        group_id, seconds = self._options.group_id, self._options.api_timeout_s
        self._group = GroupOffsets(self._cluster, group_id, seconds) if group_id else None
        self._driver = FetchDriver(self._cluster, self._options, self._group)
        self._fetcher = self._driver.fetcher
        self._handing_out = HandingOut(self._fetcher, check_crcs=self._options.check_crcs)
        self._commit_at: float | None = None
        self._closed = False
        self._waiting = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Commit positions where that happens by itself, then end the connections."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._options.auto_commit_s is not None and self._positions():
                await self.commit()
        finally:
            self._driver.close()

    def drop(self) -> None:
        """End the connections and commit nothing."""
        self._closed = True
        self._driver.close()

    # ---- what to read ---------------------------------------------------------------------

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those that stay keep their positions."""
        self._check_open()
        self._fetcher.assign(partitions_at(partitions))
        self._cluster.topics = {where.topic for where in self._fetcher.positions}
        self._driver.pump()

    def assignment(self) -> list[TopicPartition]:
        """The partitions that are read."""
        return list(self._fetcher.positions)

    def seek(self, where: Where, offset: int) -> None:
        """Go on at `offset`. What was fetched already is dropped."""
        if not isinstance(offset, int):
            raise TypeError(f"an offset is an int, not {type(offset).__name__} {offset!r}")
        if offset < 0:
            raise LocalProtocolError(f"an offset is 0 or more, not {offset}")
        self._fetcher.move(partition_at(where), offset)
        self._driver.pump()

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Go on at the first offset that there is (of all partitions, where none are named)."""
        self._seek_to_end_of_log(partitions, EARLIEST)

    def seek_to_end(self, *partitions: Where) -> None:
        """Go on behind the last offset that there is (of all partitions, where none are named)."""
        self._seek_to_end_of_log(partitions, LATEST)

    async def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """The offset of the next record that `poll` gives from a partition."""
        key = partition_at(where)
        found = self._fetcher.position(key)
        if not found.known:
            await self._within(timeout_s, "finding the position", self._driver.known(key))
        return found.offset

    def lag(self, where: Where) -> int | None:
        """How many offsets a partition's position is behind its end, as of the last fetch.

        None while nothing was fetched from it, or while its position is not known.
        """
        found = self._fetcher.position(partition_at(where))
        return (
            found.readable_end - found.offset if found.known and found.readable_end >= 0 else None
        )

    def pause(self, *partitions: Where) -> None:
        """Give no records of these partitions for now."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = True

    def resume(self, *partitions: Where) -> None:
        """Give records of these partitions again."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = False
        self._driver.pump()

    def paused(self) -> list[TopicPartition]:
        """The partitions that are paused."""
        return [where for where, position in self._fetcher.positions.items() if position.paused]

    # ---- reading --------------------------------------------------------------------------

    async def poll(
        self,
        timeout_s: float | None = None,
        max_records: int | None = None,
        **foreign: Never,
    ) -> list[Record]:
        """The next records: as soon as there are any, up to `max_records` (max.poll.records).

        Empty after `timeout_s` seconds (None: wait for ever). Within a partition in order.

        Raises:
            BrokerError: reading cannot go on where it stands, for example a position that is gone
                while auto.offset.reset is none.
            CorruptRecord: a batch is not what it says; the message names where, and the position is
                there. What lies before it, and all of other partitions, is given.
        """
        if foreign:
            refuse_arguments("poll", foreign)
        return await self._waited(partial(self.poll_now, max_records), timeout_s)

    async def __aiter__(self) -> AsyncIterator[Record]:
        """All records from here on, for ever, one by one; errors as `poll`.

        The position moves on with each: after a `break` the next one is still to be read.
        """
        while True:
            for record in self.records_here():
                yield record
                if self.commit_is_due():
                    await self.commit()
            await self.arrival()

    def records_here(self) -> Iterator[Record]:
        """The records that are here already, one by one; errors as `poll`."""
        count = -1
        while count < self._handing_out.count:
            count = self._handing_out.count
            self._check_open()
            self._driver.raise_failure()
            yield from self._handing_out.part_by_record()
            self._driver.pump()

    async def arrival(self) -> None:
        """Wait until something came: records, or an error."""
        await self._driver.arrival(None)

    def poll_now(self, max_records: int | None = None) -> list[Record]:
        """The records that are here already; may be none. Errors as `poll`."""
        self._check_open()
        most = self._options.max_poll_records if max_records is None else max_records
        self._driver.raise_failure()
        records = self._handing_out.records(most)
        self._driver.pump()
        return records

    async def fetch_arrow(
        self, timeout_s: float | None = None, *, wanted: Wanted = Wanted.ALL
    ) -> Any:
        """The next records as a pyarrow.Table, all that have arrived, as soon as there are any.

        Columns: topic, partition, then those `wanted` of offset, timestamp, timestampType, key,
        value, headers. A table of no rows after `timeout_s` seconds. Errors as `poll`.
        """
        return await self._waited(partial(self.arrow_now, wanted=wanted), timeout_s)

    def arrow_now(self, *, wanted: Wanted = Wanted.ALL) -> Any:
        """As `fetch_arrow`, of what is here already."""
        self._check_open()
        self._driver.raise_failure()
        parts = self._handing_out.parts()
        self._driver.pump()
        return self._handing_out.table(parts, wanted)

    # ---- offsets --------------------------------------------------------------------------

    def metrics(self) -> Metrics:
        """What was done so far: requests, bytes, records that were given, the average latency."""
        return self._cluster.traffic.snapshot(self._handing_out.count)

    async def partitions_for(
        self, topic: str, *, timeout_s: float | None = None
    ) -> list[TopicPartition]:
        """The partitions of a topic."""
        view = await self._within(timeout_s, f"topic {topic}", known_topic(self._cluster, topic))
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    async def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first offset at or after a time (ms since the epoch); None where there is none."""
        wanted = partitions_to("offsets_for_times", times)
        for where, time in wanted.items():
            if time < 0:
                what = f"{where.topic}-{where.partition}: a time is 0 or more ms, not {time}"
                raise LocalProtocolError(f"{what}; beginning_offsets and end_offsets give the ends")
        found = await self._look_up(wanted, timeout_s)
        return {where: each if each.offset >= 0 else None for where, each in found.items()}

    async def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The first offsets that there are."""
        wanted = dict.fromkeys(partitions_at(partitions), EARLIEST)
        return {
            where: each.offset for where, each in (await self._look_up(wanted, timeout_s)).items()
        }

    async def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets behind the last records that may be read."""
        wanted = dict.fromkeys(partitions_at(partitions), LATEST)
        return {
            where: each.offset for where, each in (await self._look_up(wanted, timeout_s)).items()
        }

    async def commit(self, offsets: Mapping[Where, int] | None = None) -> None:
        """Save positions (of all partitions, where none are given) for the group.

        Raises:
            ConfigError: there is no group.id.
        """
        group = self._of_group()
        chosen = offsets if offsets is not None else self._positions()
        named = partitions_to("commit", chosen)
        if named:
            await group.commit(named)
        if self._options.auto_commit_s is not None:
            self._commit_at = self._cluster.around.loop.time() + self._options.auto_commit_s

    async def committed(self, partitions: Iterable[Where]) -> dict[TopicPartition, int]:
        """The group's saved positions; partitions without one are left out.

        Raises:
            ConfigError: there is no group.id.
        """
        return await self._of_group().committed(partitions_at(partitions))

    def commit_is_due(self) -> bool:
        """Whether auto.commit.interval.ms has passed since the last commit."""
        if self._options.auto_commit_s is None:
            return False
        now = self._cluster.around.loop.time()
        if self._commit_at is None:
            self._commit_at = now + self._options.auto_commit_s
        return now >= self._commit_at

    async def _waited(self, look: Callable[[], _Found], timeout_s: float | None) -> _Found:
        """What `look` finds as soon as that is something."""
        if self._waiting:
            raise LocalProtocolError("another task polls this consumer: it serves one at a time")
        self._waiting = True
        try:
            if self.commit_is_due():
                await self.commit()
            deadline = self._driver.deadline(timeout_s)
            while not len(found := look()):
                if not await self._driver.arrival(deadline):
                    break
            return found
        finally:
            self._waiting = False

    def _of_group(self) -> GroupOffsets:
        if self._group is None:
            raise ConfigError("committing needs a group.id")
        return self._group

    def _positions(self) -> dict[TopicPartition, int]:
        return {
            where: position.offset
            for where, position in self._fetcher.positions.items()
            if position.known
        }

    def _seek_to_end_of_log(self, partitions: Iterable[Where], end: int) -> None:
        chosen = [partition_at(where) for where in partitions] or self.assignment()
        for where in chosen:
            self._fetcher.move(where, _UNKNOWN, end)
        self._driver.pump()

    async def _look_up(
        self, wanted: Mapping[TopicPartition, int], timeout_s: float | None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        seconds = self._options.api_timeout_s if timeout_s is None else timeout_s
        committed_only = self._options.committed_only
        found = await lookup_offsets(
            self._cluster, wanted, committed_only=committed_only, seconds=seconds
        )
        # In the order asked for, whatever the order in which brokers answered.
        return {where: found[where] for where in wanted}

    async def _within(self, timeout_s: float | None, what: str, work: Any) -> Any:
        seconds = self._options.api_timeout_s if timeout_s is None else timeout_s
        return await self._cluster.within(seconds, what, asyncio.ensure_future(work))

    def _check_open(self) -> None:
        if self._closed:
            raise LocalProtocolError("the consumer is closed")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            missing("Consumer", CONSUMER, name)

    def __reduce__(self) -> Any:
        raise TypeError("a Consumer holds connections: make one where it is used, do not pickle it")
