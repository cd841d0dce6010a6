"""Notifications about a rebalance."""

from collections.abc import Sequence

from barnabas.client.core.group.membership_results import Change, ChangeKind
from barnabas.types import TopicPartition


class RebalanceListener:
    """Override the methods that you need. With asyncio they may be coroutine functions.

    Calls that poll and close run them, on their own thread. Inside, you may use the consumer for
    everything but polling.
    """

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> object:
        """These partitions are revoked after this call; you can commit their positions here."""

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> object:
        """These partitions are read from now on, besides those that were kept; you can seek here."""

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> object:
        """Other members may read these partitions already; commits are refused.

        Default: as if revoked.
        """
        return self.on_partitions_revoked(partitions)


def tell(listener: RebalanceListener, change: Change) -> object:
    """Call the method for a change; its result may be awaitable."""
    match change.kind:
        case ChangeKind.REVOKED:
            return listener.on_partitions_revoked(change.partitions)
        case ChangeKind.LOST:
            return listener.on_partitions_lost(change.partitions)
        case ChangeKind.ASSIGNED:
            return listener.on_partitions_assigned(change.partitions)
