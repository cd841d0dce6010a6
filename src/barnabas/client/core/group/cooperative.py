"""Cooperative sticky: as sticky, but nobody gets what another member has not let go of yet.

What moves is given to nobody at first; who had it lets go and joins again, and then it is free.

Source: KIP-429, Kafka's CooperativeStickyAssignor.
"""

from barnabas.client.core.group.assignor import Assignment, Counts, Held
from barnabas.client.core.group.previous import decode_generation, encode_generation
from barnabas.client.core.group.sticky import balanced
from barnabas.client.core.group.subscription import Subscriptions
from barnabas.types import TopicPartition


class CooperativeStickyAssignor:
    """Kafka's CooperativeStickyAssignor."""

    name = "cooperative-sticky"
    cooperative = True

    def user_data(self, held: Held) -> bytes | None:
        """The generation; the partitions are in the subscription itself."""
        return encode_generation(held.generation)

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """As `balanced`, without what is still to be given up."""
        held = {member_id: decode_generation(each) for member_id, each in members.items()}
        given = balanced(counts, members, held)
        holders: dict[TopicPartition, set[str]] = {}
        for member_id, each in members.items():
            for where in each.owned:
                holders.setdefault(where, set()).add(member_id)
        return {
            member_id: [where for where in rows if holders.get(where, {member_id}) <= {member_id}]
            for member_id, rows in given.items()
        }
