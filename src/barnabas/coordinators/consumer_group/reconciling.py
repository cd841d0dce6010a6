"""Move a member from its current to its target assignment: it revokes before it receives.

Source: KIP-848; Kafka's CurrentAssignmentBuilder.
"""

from dataclasses import dataclass, replace

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.group import ConsumerGroup, since
from barnabas.coordinators.consumer_group.member import NOTHING, ConsumerMember, ConsumerMemberState
from barnabas.errors import BrokerError, ErrorCode

_S = ConsumerMemberState


@dataclass(frozen=True, slots=True)
class MemberReport:
    """A member's reported partitions (None: not reported), and the topics that it subscribes to."""

    owned: frozenset[TopicIdPartition] | None
    topic_ids: frozenset[bytes]
    has_news: bool
    """Whether its subscription is another one since."""

    def holds_any(self, partitions: frozenset[TopicIdPartition]) -> bool:
        """Whether it may still own one of these."""
        return self.owned is None or bool(self.owned & partitions)


def reconciled(group: ConsumerGroup, member: ConsumerMember, seen: MemberReport) -> ConsumerMember:
    """The member one step closer to its target; unchanged if it is there.

    Raises:
        BrokerError: FENCED_MEMBER_EPOCH: it must rejoin.
    """
    match member.state:
        case _S.STABLE if member.epoch == group.assignment_epoch:
            return _without_unwanted(member, seen) if seen.has_news else member
        case _S.UNREVOKED if seen.holds_any(frozenset(member.revoking)):
            return _without_unwanted(member, seen) if seen.has_news else member
        case _S.UNKNOWN:
            if seen.owned is None or seen.owned:
                raise BrokerError(
                    ErrorCode.FENCED_MEMBER_EPOCH,
                    "The consumer group member is in an unknown state. The member must abandon all "
                    "its partitions and rejoin.",
                )
        case _:
            pass  # It has all that it was to have until now, or gave back what it had to.
    return _next(group, member, seen)


def _without_unwanted(member: ConsumerMember, seen: MemberReport) -> ConsumerMember:
    """Revoke what the member no longer subscribes to, even between two assignments."""
    kept = {one: at for one, at in member.assigned.items() if one.topic_id in seen.topic_ids}
    unwanted = {one: at for one, at in member.assigned.items() if one not in kept}
    if not unwanted:
        return member
    if seen.holds_any(frozenset(unwanted)):
        revoking = {**member.revoking, **unwanted}
        return replace(
            member,
            previous_epoch=member.epoch,
            state=_S.UNREVOKED,
            assigned=kept,
            revoking=revoking,
        )
    return replace(member, previous_epoch=member.epoch, assigned=kept)


def _next(group: ConsumerGroup, member: ConsumerMember, seen: MemberReport) -> ConsumerMember:
    target = {
        topic_partition
        for topic_partition in group.target.get(member.member_id, frozenset())
        if topic_partition.topic_id in seen.topic_ids
    }
    kept = target & member.assigned.keys()
    surplus = frozenset(member.assigned.keys() - target)
    if surplus and seen.holds_any(surplus):
        return replace(
            member,
            previous_epoch=member.epoch,
            state=_S.UNREVOKED,
            assigned=since(kept, member.assigned, member.epoch),
            revoking=since(surplus, member.assigned, member.epoch),
        )
    missing = target - kept
    # What it has just given back is its own until this is replayed, and may stay so.
    free = {one for one in missing if one not in group.owners or one in member.revoking}
    epoch = group.assignment_epoch
    return replace(
        member,
        epoch=epoch,
        previous_epoch=member.epoch,
        state=_S.STABLE if free == missing else _S.UNRELEASED,
        assigned=since(kept | free, {one: member.assigned[one] for one in kept}, epoch),
        revoking=NOTHING,
    )
