"""DescribeGroups (key 15): the members of groups and what they do.

Does: returns the state and the members of each group, their metadata while the group is Stable,
    and their assignments, during a rebalance those before it.
Ignores: nothing.
Versions: 1 throttle time · 3 authorised operations (KIP-430) · 4 static members (KIP-345) · 6 a missing
    group is an error instead of Dead (KIP-1043)
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.requests.group_descriptions import described_each
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from barnabas.versions import VersionTable

_NOT_THERE = VersionTable({0: ErrorCode.NONE, 6: ErrorCode.GROUP_ID_NOT_FOUND})


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeGroupsRequest
) -> Steps[DescribeGroupsResponse]:
    """Describe each."""
    not_there = _NOT_THERE[context.api_version]
    asked = request.include_authorized_operations
    describe = partial(_group, broker, not_there=not_there)
    groups = yield from described_each(request.groups, describe, operations=asked)
    return DescribeGroupsResponse(groups=groups)


def _group(broker: Broker, group_id: str, not_there: ErrorCode) -> DescribedGroup:
    try:
        held = broker.groups.find(group_id)
    except BrokerError as error:
        return _nothing(group_id, error.code, "", "")
    group = held.shard.view(group_id) if held else None
    if group is None:
        other = held is not None and held.shard.kind_of(group_id) is not None
        what = "is not a classic group" if other else "not found"
        why = f"Group {group_id} {what}." if not_there else None
        return _nothing(group_id, not_there, GroupState.DEAD.value, why)
    is_stable = group.state is GroupState.STABLE
    return DescribedGroup(
        error_code=ErrorCode.NONE,
        group_id=group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol or "") if is_stable else "",
        members=_members(group, with_content=is_stable),
    )


def _members(group: ClassicGroup, *, with_content: bool) -> list[DescribedGroupMember]:
    return [
        DescribedGroupMember(
            member_id=one.member_id,
            group_instance_id=one.instance_id,
            client_id=one.client_id,
            client_host=one.client_host,
            member_metadata=one.metadata(group.protocol) if with_content else b"",
            member_assignment=one.assignment,
        )
        for one in group.members.values()
    ]


def _nothing(group_id: str, code: ErrorCode, state: str, why: str | None) -> DescribedGroup:
    return DescribedGroup(
        error_code=code,
        error_message=why,
        group_id=group_id,
        group_state=state,
        protocol_type="",
        protocol_data="",
        members=[],
    )
