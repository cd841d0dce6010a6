"""The calls of Admin about partitions, for threads: see `client.aio.admin.partition_admin`."""

from collections.abc import Iterable, Mapping, Sequence

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.descriptions import (
    LogDirectory,
    OffsetAndTimestamp,
)
from barnabas.client.core.admin.reassignments import PartitionReassignment
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.caller_client import CallerClient
from barnabas.types import TopicPartition


class CallerPartitionAdmin:
    """The calls of Admin about partitions: offsets, records, directories, leaders, moves."""

    _hosted: CallerClient[AsyncAdmin]
    _admin: AsyncAdmin

    def list_offsets(
        self,
        wanted: Mapping[TopicPartition, int],
        *,
        committed_only: bool = False,
        timeout_s: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset at or after a timestamp (ms), or for EARLIEST, LATEST, MAX_TIMESTAMP."""
        work = self._admin.list_offsets(wanted, committed_only=committed_only, timeout_s=timeout_s)
        return self._hosted.run(work)

    def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Delete the records before these offsets (-1: all); return the new start offsets."""
        return self._hosted.run(self._admin.delete_records(before, timeout_s=timeout_s))

    def describe_log_dirs(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> dict[int, list[LogDirectory]]:
        """Return the log directories of each broker, by broker id.

        They have the sizes of these partitions (None: of all) where the broker has a replica.
        """
        return self._hosted.run(self._admin.describe_log_dirs(partitions, timeout_s=timeout_s))

    def elect_leaders(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        unclean: bool = False,
        timeout_s: float | None = None,
    ) -> list[TopicPartition]:
        """Elect the preferred replica, or any, as leader of partitions (None: all).

        Returns the partitions whose leader changed.
        """
        work = self._admin.elect_leaders(partitions, unclean=unclean, timeout_s=timeout_s)
        return self._hosted.run(work)

    def alter_partition_reassignments(
        self,
        targets: Mapping[TopicPartition, Sequence[int] | None],
        *,
        timeout_s: float | None = None,
    ) -> None:
        """Move partitions to these brokers, the preferred leader first; None cancels a move.

        Returns when the moves have begun: `list_partition_reassignments` lists those that are under
        way. If one is refused, the others still begin; the error names the refused ones.

        Raises:
            BrokerError: INVALID_REPLICA_ASSIGNMENT, a broker is unknown or named twice;
                NO_REASSIGNMENT_IN_PROGRESS, there is nothing to cancel.
        """
        self._hosted.run(self._admin.alter_partition_reassignments(targets, timeout_s=timeout_s))

    def list_partition_reassignments(
        self, partitions: Iterable[Where] | None = None, *, timeout_s: float | None = None
    ) -> dict[TopicPartition, PartitionReassignment]:
        """Return the partitions (None: of all) that are being moved."""
        work = self._admin.list_partition_reassignments(partitions, timeout_s=timeout_s)
        return self._hosted.run(work)
