"""The calls of Consumer that ask brokers about topics and offsets. For asyncio.

Each waits up to `timeout_s` seconds, default.api.timeout.ms where None.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import known_topic
from barnabas.client.aio.consumer.offset_lookup import OffsetLookup
from barnabas.client.aio.membership.consumer_group import ConsumerGroup
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST, OffsetAndTimestamp
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.where import Where, offsets_to, partitions_at
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition


class AskedOffsets:
    """What a Consumer asks, whether it reads the partitions or not."""

    _cluster: Cluster
    _lookup: OffsetLookup
    group: ConsumerGroup | None

    async def partitions_for(
        self, topic: str, *, timeout_s: float | None = None
    ) -> list[TopicPartition]:
        """The partitions of a topic."""
        asking, what = known_topic(self._cluster, topic), f"asking for topic {topic}"
        view = await self._within(timeout_s, what, asking)
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    async def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first offset at or after a time (ms since the epoch); None where there is none."""
        return await self._lookup.for_times(times, timeout_s)

    async def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The first offsets that there are."""
        return await self._lookup.ends(partitions, EARLIEST, timeout_s)

    async def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets behind the last records that may be read."""
        return await self._lookup.ends(partitions, LATEST, timeout_s)

    async def commit(
        self, offsets: Mapping[Where, int] | None = None, *, timeout_s: float | None = None
    ) -> None:
        """Save positions (of all partitions, where none are given) for the group.

        Raises:
            ConfigError, InvalidArgument: there is no group.id, an offset is below 0.
        """
        given = None if offsets is None else offsets_to("commit", offsets)
        await self.of_group("committing").commit(given, self.deadline(timeout_s))

    async def committed(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The group's saved positions; partitions without one are left out.

        Raises:
            ConfigError: there is no group.id.
        """
        group, deadline = self.of_group("committing"), self.deadline(timeout_s)
        return await group.committed(partitions_at(partitions), deadline)

    def of_group(self, what: str) -> ConsumerGroup:
        """What it has to do with its group.

        Raises:
            ConfigError: there is no group.id.
        """
        if self.group is None:
            raise ConfigError(f"{what} needs a group.id")
        return self.group

    def deadline(self, timeout_s: float | None) -> Deadline:
        """Of a call that begins now."""
        return self._cluster.limits.deadline(timeout_s)

    async def _within(self, timeout_s: float | None, what: str, work: Any) -> Any:
        deadline = self.deadline(timeout_s)
        return await self._cluster.limits.within(deadline, what, asyncio.ensure_future(work))
