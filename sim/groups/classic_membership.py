"""ClassicMembership: one member's way through a classic group: join, sync, heartbeats, leaving."""

from collections.abc import Mapping

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from barnabas.protocol.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from sim.groups.assigning import handed_out, subscription, taken
from sim.groups.group_kind import GroupKind
from sim.groups.membership import GiveBack, Membership
from sim.world.caller import Caller
from sim.world.site import Site

_PROTOCOL_TYPE, _PROTOCOL = "consumer", "range"
_SEVERAL_LEAVERS = 3
"""The first version of LeaveGroup that names members in a list."""


class ClassicMembership(Membership):
    """A member that gives everything back when the others are to join again."""

    NEW_START = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION})
    AGAIN = frozenset({ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.MEMBER_ID_REQUIRED})

    def __init__(
        self, site: Site, caller: Caller, group: str, kind: GroupKind, instance: str | None
    ) -> None:
        super().__init__(site, caller, group, kind, instance)
        self._session_ms = site.entropy.one_of(self.SESSIONS_MS)

    async def join(self) -> None:
        """See `Membership`."""
        self.began()
        topics = sorted({topic for topic, _ in self.site.places})
        protocols = [JoinGroupRequestProtocol(name=_PROTOCOL, metadata=subscription(topics))]
        answer = await self.caller.ask(
            JoinGroupRequest(
                group_id=self.group,
                session_timeout_ms=self._session_ms,
                rebalance_timeout_ms=self.rebalance_ms,
                member_id=self.member_id,
                group_instance_id=self.instance,
                protocol_type=_PROTOCOL_TYPE,
                protocols=protocols,
            ),
            JoinGroupResponse,
            seconds=30.0,
        )
        code = ErrorCode.of(answer.error_code)
        self.site.note(
            self.site.name,
            f"join: {code.name} generation {answer.generation_id} leader {answer.leader[-6:]}"
            f" of {len(answer.members)}",
        )
        if code is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
        elif not code:
            self.member_id = answer.member_id
            self.generation = answer.generation_id
            await self._sync(answer)
        else:
            self.refused(code)

    async def _sync(self, joined: JoinGroupResponse) -> None:
        await self.site.stall()
        assignments: Mapping[str, bytes] = {}
        if joined.leader == joined.member_id and not joined.skip_assignment:
            assignments = handed_out([m.member_id for m in joined.members], self.site.places)
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        answer = await self.caller.ask(
            SyncGroupRequest(
                group_id=self.group,
                generation_id=self.generation,
                member_id=self.member_id,
                group_instance_id=self.instance,
                protocol_type=_PROTOCOL_TYPE,
                protocol_name=_PROTOCOL,
                assignments=[
                    SyncGroupRequestAssignment(member_id=name, assignment=data)
                    for name, data in assignments.items()
                ],
            ),
            SyncGroupResponse,
            seconds=30.0,
        )
        code = ErrorCode.of(answer.error_code)
        places = taken(bytes(answer.assignment))
        self.site.note(self.site.name, f"sync {self.generation}: {code.name} {places}")
        if code:
            self.refused(code)
            return
        self.took(mark, places)
        self.holds(mark, self._sure_until(asked_at))

    def _sure_until(self, asked_at: float) -> float:
        """When it was answered no rebalance was on its way."""
        return asked_at + min(self._session_ms, self.rebalance_ms) / 1000

    async def heartbeat(self, give_back: GiveBack) -> None:
        """See `Membership`; a classic member gives back by joining."""
        del give_back
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        answer = await self.caller.ask(
            HeartbeatRequest(
                group_id=self.group,
                generation_id=self.generation,
                member_id=self.member_id,
                group_instance_id=self.instance,
            ),
            HeartbeatResponse,
        )
        code = ErrorCode.of(answer.error_code)
        self.refused(code)
        if not code:
            self.holds(mark, self._sure_until(asked_at))

    async def leave(self) -> None:
        """See `Membership`."""
        self.began()
        one = MemberIdentity(member_id=self.member_id, group_instance_id=self.instance)
        several = self.caller.versions[ApiKey.LEAVE_GROUP] >= _SEVERAL_LEAVERS
        request = LeaveGroupRequest(
            group_id=self.group,
            member_id="" if several else self.member_id,
            members=[one] if several else [],
        )
        answer = await self.caller.ask(request, LeaveGroupResponse)
        self.site.note(self.site.name, f"leaves: {ErrorCode.of(answer.error_code).name}")
        self.member_id = ""
