"""Audit: how a streams group stands when all is quiet: nothing is left to be done, or to be handed out."""

from collections.abc import Callable, Sequence

from sim.clients.consuming import SimMember
from sim.events import Described
from sim.groups.describing import describe
from sim.groups.streams_topology import WITH_STATE, all_tasks
from sim.scenario import STREAMERS_GROUP, Scenario
from sim.world.caller import Lost
from sim.world.site import Site
from sim.world.versions import STREAMS


class Audit:
    """Polls until the group is as expected; `found` has the last responses."""

    def __init__(
        self, site: Site, scenario: Scenario, members: Callable[[], Sequence[SimMember]]
    ) -> None:
        """`members`: those that are there. Some may be yet to return."""
        self._site = site
        site.versions |= STREAMS
        self._scenario = scenario
        self._members = members
        self.found: Described | None = None
        self.lacks = "no response has described the group"
        site.process.begin(self._ask())

    async def _ask(self) -> None:
        caller = self._site.caller()
        while self.found is None:
            try:
                described = await describe(self._site, caller, STREAMERS_GROUP)
            except Lost:
                described = None
            if described is not None:
                self.lacks = self._lacking(described)
                self.found = None if self.lacks else described
            await self._site.sleep(0.2, 0.5)
        caller.hang_up()

    def _lacking(self, described: Described) -> str:
        members, now = self._members(), self._site.process.loop.now()
        there = sorted(one.membership.member_id for one in members)
        if len(there) != self._scenario.streamers:
            return f"only {there} are there"
        if any(one.site.stalled_until > now for one in members):
            return "somebody stands still"
        build = described.build
        if build is None or described.state != "Stable" or sorted(described.members) != there:
            return f"{described.state}, with {sorted(described.members)} for {there}"
        tasks = all_tasks(build, self._scenario.partitions)
        shares = described.members.values()
        active = sorted(task for one in shares for task in one.active)
        if active != tasks:
            return f"{active} are done, of {tasks}"
        others = len({one.process for one in shares}) - 1
        stateful = [task for task in tasks if task[0] == WITH_STATE]
        standby = sorted(task for one in shares for task in one.standby)
        if standby != sorted(stateful * min(others, self._scenario.standbys)):
            return f"{standby} stand by, of {stateful}, beside {others} other processes"
        return ""
