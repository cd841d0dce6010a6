"""Cooperative sticky: like sticky, but no member gets a partition before its owner releases it.

A partition that moves is assigned to nobody at first; its owner releases it and rejoins, and then
it is free.

Source: KIP-429, Kafka's CooperativeStickyAssignor.
"""

from barnabas.client.core.group.assignor import Assignment, Counts, PreviousAssignment
from barnabas.client.core.group.sticky import balanced
from barnabas.client.core.group.sticky_user_data import decode_generation, encode_generation
from barnabas.client.core.group.subscription import Subscriptions
from barnabas.types import TopicPartition


class CooperativeStickyAssignor:
    """Kafka's CooperativeStickyAssignor."""

    name = "cooperative-sticky"
    cooperative = True

    def user_data(self, held: PreviousAssignment) -> bytes | None:
        """The generation; the partitions are in the subscription itself."""
        return encode_generation(held.generation)

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """Like `balanced`, without partitions that must be released first."""
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
