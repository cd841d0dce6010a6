"""Range: for each topic separately, consecutive partitions to each member in order.

Members with the same subscriptions get the same partition numbers of all topics.
"""

from barnabas.client.core.group.assignor import (
    Assignment,
    Counts,
    PreviousAssignment,
    nothing_yet,
    subscribers,
)
from barnabas.client.core.group.subscription import Subscriptions
from barnabas.types import TopicPartition


class RangeAssignor:
    """Kafka's RangeAssignor."""

    name = "range"
    cooperative = False

    def user_data(self, _held: PreviousAssignment) -> bytes | None:
        """It needs none."""
        return None

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """The first members get one more partition if the numbers do not divide evenly."""
        given = nothing_yet(members)
        for topic, wanting in subscribers(counts, members).items():
            each, more = divmod(counts[topic], len(wanting))
            first = 0
            for index, member_id in enumerate(wanting):
                last = first + each + (index < more)
                given[member_id] += [TopicPartition(topic, one) for one in range(first, last)]
                first = last
        return given
