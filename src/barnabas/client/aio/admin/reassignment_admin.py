"""The calls of Admin that move replicas. For asyncio; `client.sync.partition_admin` has the same."""

from collections.abc import Iterable, Mapping, Sequence

from barnabas.client.aio.admin.admin_calls import AdminCalls
from barnabas.client.aio.admin.cluster_requests import controller
from barnabas.client.core.admin.reassignments import PartitionReassignment
from barnabas.client.core.arguments.list_arguments import listed
from barnabas.client.core.arguments.partition_arguments import Where, partitions_at, partitions_to
from barnabas.errors import BrokerError
from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from barnabas.protocol.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from barnabas.types import TopicPartition


class ReassignmentAdmin(AdminCalls):
    """The calls of Admin that move replicas to other brokers (KIP-455)."""

    async def alter_partition_reassignments(
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
        what = "moving partitions"
        topics: dict[str, list[ReassignablePartition]] = {}
        for where, brokers in partitions_to("alter_partition_reassignments", targets).items():
            wanted = None
            if brokers is not None:
                wanted = listed("alter_partition_reassignments", brokers, int, "[1, 2, 3]")
            row = ReassignablePartition(partition_index=where.partition, replicas=wanted)
            topics.setdefault(where.topic, []).append(row)
        request = AlterPartitionReassignmentsRequest(
            topics=[ReassignableTopic(name=name, partitions=rows) for name, rows in topics.items()]
        )

        async def attempt() -> None:
            reply = await self._cluster.ask(request, node_id=await controller(self._cluster))
            if reply.error_code:
                raise BrokerError(reply.error_code, reply.error_message or what)
            bad = [
                (f"{topic.name}-{one.partition_index}", one)
                for topic in reply.responses
                for one in topic.partitions
                if one.error_code
            ]
            if bad:
                words = "; ".join(
                    f"{name}: {one.error_message or 'no detail'}" for name, one in bad
                )
                raise BrokerError(bad[0][1].error_code, f"{what}: {words}")

        await self._asked(timeout_s, what, attempt)

    async def list_partition_reassignments(
        self, partitions: Iterable[Where] | None = None, *, timeout_s: float | None = None
    ) -> dict[TopicPartition, PartitionReassignment]:
        """Return the partitions (None: of all) that are being moved."""
        topics: dict[str, list[int]] = {}
        for topic, index in () if partitions is None else partitions_at(partitions):
            topics.setdefault(topic, []).append(index)
        request = ListPartitionReassignmentsRequest(
            topics=None
            if partitions is None
            else [
                ListPartitionReassignmentsTopics(name=name, partition_indexes=rows)
                for name, rows in topics.items()
            ]
        )

        async def attempt() -> dict[TopicPartition, PartitionReassignment]:
            reply = await self._cluster.ask(request, node_id=await controller(self._cluster))
            if reply.error_code:
                what = reply.error_message or "listing partitions that are being moved"
                raise BrokerError(reply.error_code, what)
            return {
                TopicPartition(topic.name, one.partition_index): PartitionReassignment(
                    tuple(one.replicas), tuple(one.adding_replicas), tuple(one.removing_replicas)
                )
                for topic in reply.topics
                for one in topic.partitions
            }

        return await self._asked(timeout_s, "listing moves", attempt)
