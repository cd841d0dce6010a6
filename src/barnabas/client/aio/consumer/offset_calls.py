"""The calls of Consumer that request topics and offsets from brokers. For asyncio.

Each waits up to `timeout_s` seconds; None: default.api.timeout.ms.
"""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.topics import MISSING_S, topic_within
from barnabas.client.aio.consumer.offset_lookup import OffsetLookup
from barnabas.client.aio.membership.consumer_group import ConsumerMembership
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST, OffsetAndTimestamp
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.partition_arguments import Where, offsets_to, partitions_at
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition


class OffsetCalls:
    """Requests of a Consumer, whether it reads the partitions or not."""

    _cluster: Cluster
    _lookup: OffsetLookup
    group: ConsumerMembership | None

    async def partitions_for(
        self, topic: str, *, timeout_s: float | None = None
    ) -> list[TopicPartition]:
        """Return the partitions of a topic.

        Raises:
            BrokerError: UNKNOWN_TOPIC_OR_PARTITION, it does not exist and nobody creates it.
            RequestTimeout, ConnectionFailed: brokers did not answer in time.
        """
        deadline, what = self.deadline(timeout_s), f"asking for topic {topic}"
        view = await topic_within(self._cluster, topic, deadline, what, patience_s=MISSING_S)
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    async def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first offset at or after a time (ms since the epoch); None if there is none."""
        return await self._lookup.for_times(times, timeout_s)

    async def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the first existing offsets."""
        return await self._lookup.ends(partitions, EARLIEST, timeout_s)

    async def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the offsets after the last records that may be read."""
        return await self._lookup.ends(partitions, LATEST, timeout_s)

    async def commit(
        self, offsets: Mapping[Where, int] | None = None, *, timeout_s: float | None = None
    ) -> None:
        """Commit positions for the group (None: those of all partitions).

        Raises:
            ConfigError, InvalidArgument: there is no group.id, an offset is negative.
        """
        given = None if offsets is None else offsets_to("commit", offsets)
        await self.of_group("committing").commit(given, self.deadline(timeout_s))

    async def committed(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the group's committed positions; partitions without one are omitted.

        Raises:
            ConfigError: there is no group.id.
        """
        group, deadline = self.of_group("committing"), self.deadline(timeout_s)
        return await group.committed(partitions_at(partitions), deadline)

    def of_group(self, what: str) -> ConsumerMembership:
        """Return the connection to its group.

        Raises:
            ConfigError: there is no group.id.
        """
        if self.group is None:
            raise ConfigError(f"{what} needs a group.id")
        return self.group

    def deadline(self, timeout_s: float | None) -> Deadline:
        """The deadline of a call that starts now."""
        return self._cluster.limits.deadline(timeout_s)
