"""Introduction: how a member is told of, to its leader and in its group's record.

Most members say the same at each rebalance, so what is told of them stays as it was.
"""

from dataclasses import dataclass

from barnabas.coordinators.group.member import NO_ASSIGNMENT, Member
from barnabas.protocol.internal.group_metadata_record import MemberMetadata
from barnabas.protocol.join_group import JoinGroupResponseMember


@dataclass(slots=True)
class Introduction:
    """Of one member, under one protocol. What it is to do is in it only while a record is written."""

    protocol: str | None
    to_leader: JoinGroupResponseMember
    in_record: MemberMetadata


def introduction(member: Member, protocol: str | None) -> Introduction:
    """How a member is told of."""
    known = member.introduction
    if known is None or known.protocol != protocol:
        known = member.introduction = _introduced(member, protocol)
    return known


def _introduced(member: Member, protocol: str | None) -> Introduction:
    metadata = member.metadata(protocol)
    return Introduction(
        protocol,
        JoinGroupResponseMember(
            member_id=member.member_id, group_instance_id=member.instance_id, metadata=metadata
        ),
        MemberMetadata(
            member_id=member.member_id,
            group_instance_id=member.instance_id,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout=member.rebalance_timeout_ms,
            session_timeout=member.session_timeout_ms,
            subscription=metadata,
            assignment=NO_ASSIGNMENT,
        ),
    )
