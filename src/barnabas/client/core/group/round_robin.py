"""Round robin: all partitions of all topics in turn to each member that subscribes to them."""

from itertools import cycle

from barnabas.client.core.group.assignor import (
    Assignment,
    Counts,
    PreviousAssignment,
    nothing_yet,
    subscribers,
)
from barnabas.client.core.group.subscription import Subscriptions
from barnabas.types import TopicPartition


class RoundRobinAssignor:
    """Kafka's RoundRobinAssignor."""

    name = "roundrobin"
    cooperative = False

    def user_data(self, _held: PreviousAssignment) -> bytes | None:
        """It needs none."""
        return None

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """A member that does not subscribe to a topic is skipped, and does not get the next turn for it."""
        given = nothing_yet(members)
        turns = cycle(given)
        for topic, wanting in subscribers(counts, members).items():
            able = set(wanting)
            for partition in range(counts[topic]):
                member_id = next(turns)
                while member_id not in able:
                    member_id = next(turns)
                given[member_id].append(TopicPartition(topic, partition))
        return given
