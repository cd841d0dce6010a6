"""Convert a group to the record that a restart reads, and back.

The record is of the last generation with assignments: members repeat whatever happened since.
"""

from collections.abc import Mapping

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_group
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.member import NO_ASSIGNMENT, Member
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.protocol.internal.group_metadata_record import GroupMetadataValue, MemberMetadata


def record_of(
    group: ClassicGroup, assignments: Mapping[str, bytes] | None = None
) -> CoordinatorRecord:
    """The record of a group; `assignments`, by member id, replace those that the members have."""
    members = []
    for one in group.members.values():
        member = one.described(group.protocol).in_record
        member.assignment = one.assignment if assignments is None else assignments[one.member_id]
        members.append(member)
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        current_state_timestamp=group.since_ms,
        members=members,
    )
    record = encode_group(group.group_id, value)
    for member in members:
        # It stays as long as the member, and the assignment counts only once it is written.
        member.assignment = NO_ASSIGNMENT
    return record


def group_of(group_id: str, settings: GroupSettings, value: GroupMetadataValue) -> ClassicGroup:
    """The group of a record. The sessions of its members begin with `leaving.loaded`."""
    members = {one.member_id: _member(one, value.protocol or "") for one in value.members}
    return ClassicGroup(
        group_id,
        settings,
        state=GroupState.STABLE if members else GroupState.EMPTY,
        since_ms=value.current_state_timestamp,
        generation=value.generation,
        protocol_type=value.protocol_type or None,
        protocol=value.protocol,
        leader=value.leader,
        members=members,
        instances={
            one.instance_id: one.member_id
            for one in members.values()
            if one.instance_id is not None
        },
    )


def _member(stored: MemberMetadata, protocol: str) -> Member:
    session_ms = stored.session_timeout
    before_kip_62 = stored.rebalance_timeout < 0
    return Member(
        member_id=stored.member_id,
        instance_id=stored.group_instance_id,
        client_id=stored.client_id,
        client_host=stored.client_host,
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=session_ms if before_kip_62 else stored.rebalance_timeout,
        protocols=((protocol, stored.subscription),),
        assignment=stored.assignment,
    )
