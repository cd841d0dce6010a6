"""What the broker says of a streams group as a whole, in one answer."""

from barnabas.errors import ErrorCode
from barnabas.protocol.streams_group_describe import (
    Member,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
    Topology,
)
from sim.build import Build
from sim.events import Described, DescribedMember
from sim.groups.streams_topology import tasks_in
from sim.world.caller import Caller
from sim.world.site import Site


async def describe(site: Site, caller: Caller, group: str) -> Described | None:
    """Ask, and tell the checkers; None: there is no such group, or nobody knows now.

    Raises:
        Lost: no answer.
    """
    mark = site.mark()
    request = StreamsGroupDescribeRequest(group_ids=[group], include_authorized_operations=False)
    answer = await caller.ask(request, StreamsGroupDescribeResponse)
    found = answer.groups[0]
    if found.error_code:
        site.note(site.name, f"gets {ErrorCode.of(found.error_code).name} of {group}")
        return None
    described = Described(
        mark,
        site.mark(),
        group,
        found.group_state,
        found.group_epoch,
        found.assignment_epoch,
        _build(found.topology),
        {one.member_id: _member(one) for one in found.members},
    )
    site.tell(site.name, described)
    return described


def _build(described: Topology | None) -> Build | None:
    if described is None:
        return None
    return Build(
        described.epoch, tuple(sorted(one.subtopology_id for one in described.subtopologies or ()))
    )


def _member(described: Member) -> DescribedMember:
    return DescribedMember(
        described.process_id,
        described.member_epoch,
        described.topology_epoch,
        tasks_in(described.assignment.active_tasks),
        tasks_in(described.assignment.standby_tasks),
        tasks_in(described.target_assignment.active_tasks),
        tasks_in(described.target_assignment.standby_tasks),
    )
