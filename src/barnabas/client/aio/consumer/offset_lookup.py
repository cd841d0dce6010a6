"""A consumer's requests for offsets of partitions, whether it reads them or not."""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import lookup_offsets
from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.arguments.partition_arguments import Where, partitions_at, partitions_to
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.errors import InvalidArgument
from barnabas.types import TopicPartition


class OffsetLookup:
    """Time limits are in seconds; None: default.api.timeout.ms."""

    def __init__(self, cluster: Cluster, options: ConsumerOptions) -> None:
        self._cluster = cluster
        self._options = options

    async def for_times(
        self, times: Mapping[Where, int], timeout_s: float | None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first offset at or after a time (ms since the epoch); None if there is none."""
        wanted = partitions_to("offsets_for_times", times)
        for where, time in wanted.items():
            if time < 0:
                what = f"{where.topic}-{where.partition}: a time must be 0 or more ms, not {time}"
                raise InvalidArgument(f"{what}; beginning_offsets and end_offsets give the ends")
        found = await self._look_up(wanted, timeout_s)
        return {where: each if each.offset >= 0 else None for where, each in found.items()}

    async def ends(
        self, partitions: Iterable[Where], end: int, timeout_s: float | None
    ) -> dict[TopicPartition, int]:
        """Return the offsets of one end of partitions, EARLIEST or LATEST."""
        wanted = dict.fromkeys(partitions_at(partitions), end)
        found = await self._look_up(wanted, timeout_s)
        return {where: each.offset for where, each in found.items()}

    async def _look_up(
        self, wanted: Mapping[TopicPartition, int], timeout_s: float | None
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        found = await lookup_offsets(
            self._cluster,
            wanted,
            committed_only=self._options.committed_only,
            deadline=self._cluster.limits.deadline(timeout_s),
        )
        # In the caller's order, whatever the order of the responses.
        return {where: found[where] for where in wanted}
