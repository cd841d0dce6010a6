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
        site.note(site.name, f"is told {ErrorCode.of(found.error_code).name} of {group}")
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


def _build(said: Topology | None) -> Build | None:
    if said is None:
        return None
    return Build(said.epoch, tuple(sorted(one.subtopology_id for one in said.subtopologies or ())))


def _member(said: Member) -> DescribedMember:
    return DescribedMember(
        said.process_id,
        said.member_epoch,
        said.topology_epoch,
        tasks_in(said.assignment.active_tasks),
        tasks_in(said.assignment.standby_tasks),
        tasks_in(said.target_assignment.active_tasks),
        tasks_in(said.target_assignment.standby_tasks),
    )
