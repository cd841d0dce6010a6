"""The calls of Admin about partitions. For asyncio; `client.sync.partition_admin` has the same."""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.admin.admin_calls import AdminCalls
from barnabas.client.aio.admin.cluster_requests import (
    delete_before,
    elected,
    log_dirs,
)
from barnabas.client.aio.cluster.retries import lookup_offsets
from barnabas.client.core.admin.descriptions import (
    LogDirectory,
    OffsetAndTimestamp,
)
from barnabas.client.core.arguments.partition_arguments import (
    ALL_RECORDS,
    offsets_to,
    partitions_at,
    partitions_to,
)
from barnabas.types import TopicPartition


class PartitionAdmin(AdminCalls):
    """The calls of Admin about partitions: offsets, records, directories, leaders."""

    _request_ms: int

    async def list_offsets(
        self,
        wanted: Mapping[TopicPartition, int],
        *,
        committed_only: bool = False,
        timeout_s: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset at or after a timestamp (ms), or for EARLIEST, LATEST, MAX_TIMESTAMP."""
        keyed = partitions_to("list_offsets", wanted)
        deadline = self._cluster.limits.deadline(timeout_s)
        return await lookup_offsets(
            self._cluster, keyed, committed_only=committed_only, deadline=deadline
        )

    async def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Delete the records before these offsets (-1: all); return the new start offsets."""
        keyed = offsets_to("delete_records", before, ALL_RECORDS)
        begins: dict[TopicPartition, int] = {}

        async def attempt() -> None:
            left = {where: offset for where, offset in keyed.items() if where not in begins}
            await delete_before(self._cluster, left, self._request_ms, begins)

        await self._asked(timeout_s, "deleting records", attempt)
        return begins

    async def describe_log_dirs(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> dict[int, list[LogDirectory]]:
        """Return the log directories of each broker, by broker id.

        They have the sizes of these partitions (None: of all) where the broker has a replica.
        """
        wanted = None if partitions is None else partitions_at(partitions)
        return await self._asked(
            timeout_s, "describing log directories", lambda: log_dirs(self._cluster, wanted)
        )

    async def elect_leaders(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        unclean: bool = False,
        timeout_s: float | None = None,
    ) -> list[TopicPartition]:
        """Elect the preferred replica, or any, as leader of partitions (None: all).

        Returns the partitions whose leader changed.
        """
        wanted = None if partitions is None else partitions_at(partitions)
        return await self._asked(
            timeout_s, "electing leaders", lambda: elected(self._cluster, wanted, unclean=unclean)
        )
