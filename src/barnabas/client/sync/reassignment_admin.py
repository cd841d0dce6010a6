"""The calls of Admin that move replicas, for threads: see `client.aio.admin.reassignment_admin`."""

from collections.abc import Iterable, Mapping, Sequence

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.reassignments import PartitionReassignment
from barnabas.client.core.arguments.where import Where
from barnabas.client.sync.hosted import Hosted
from barnabas.types import TopicPartition


class ReassignmentAdmin:
    """The calls of Admin that move replicas to other brokers (KIP-455)."""

    _hosted: Hosted[AsyncAdmin]
    _admin: AsyncAdmin

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
