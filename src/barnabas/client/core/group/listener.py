"""What a consumer tells its user when the group shares partitions out anew."""

from collections.abc import Sequence

from barnabas.client.core.group.membership import Change, Told
from barnabas.types import TopicPartition


class RebalanceListener:
    """Override what you want to hear. With asyncio the methods may be coroutine functions.

    They are called by the calls that poll and close, on their thread; the consumer may be used in
    them for all but to poll.
    """

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> object:
        """These are given up after this call; what was done with them can be committed here."""

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> object:
        """These are read from now on, beside those that were kept; here one can seek."""

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> object:
        """Others may read these already; commits are refused. By default: as if revoked."""
        return self.on_partitions_revoked(partitions)


def tell(listener: RebalanceListener, change: Change) -> object:
    """Call the method that a change is for; what it returns may be awaitable."""
    match change.told:
        case Told.REVOKED:
            return listener.on_partitions_revoked(change.partitions)
        case Told.LOST:
            return listener.on_partitions_lost(change.partitions)
        case Told.ASSIGNED:
            return listener.on_partitions_assigned(change.partitions)
