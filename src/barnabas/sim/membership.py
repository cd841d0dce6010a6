"""Membership: one member's way through a classic group: join, sync, heartbeats, leaving."""

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
from barnabas.sim.assigning import handed_out, subscription, taken
from barnabas.sim.caller import Caller
from barnabas.sim.events import Place, Synced
from barnabas.sim.site import Site

_SESSIONS_MS = 6_000, 7_000, 15_000
_REBALANCES_MS = 3_000, 6_000, 20_000
_PROTOCOL_TYPE, _PROTOCOL = "consumer", "range"
_SEVERAL_LEAVERS = 3
"""The first version of LeaveGroup that names members in a list."""

NEW_START = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION})
"""It is no member any more: it begins anew, without an id."""
AGAIN = frozenset({ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.MEMBER_ID_REQUIRED})


class Fenced(Exception):
    """Another process has this static member's name."""


class Membership:
    """What a member knows of its group. All raise `Lost`."""

    def __init__(self, site: Site, caller: Caller, group: str, instance: str | None) -> None:
        self._site = site
        self._caller = caller
        self.group = group
        self.instance = instance
        self._session_ms = site.entropy.one_of(_SESSIONS_MS)
        self._rebalance_ms = site.entropy.one_of(_REBALANCES_MS)
        self.member_id = ""
        self.generation = -1
        self.places: tuple[Place, ...] | None = None
        """What it owns; None: it has to join."""

    async def join(self) -> tuple[Place, ...] | None:
        """Try to become a member and to learn what to do: what it owns, or None: try again."""
        self.places = None
        topics = sorted({topic for topic, _ in self._site.places})
        protocols = [JoinGroupRequestProtocol(name=_PROTOCOL, metadata=subscription(topics))]
        answer = await self._caller.ask(
            JoinGroupRequest(
                group_id=self.group,
                session_timeout_ms=self._session_ms,
                rebalance_timeout_ms=self._rebalance_ms,
                member_id=self.member_id,
                group_instance_id=self.instance,
                protocol_type=_PROTOCOL_TYPE,
                protocols=protocols,
            ),
            JoinGroupResponse,
            seconds=30.0,
        )
        code = ErrorCode.of(answer.error_code)
        self._site.note(
            self._site.name,
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
        return self.places

    async def _sync(self, joined: JoinGroupResponse) -> None:
        await self._site.stall()
        assignments: Mapping[str, bytes] = {}
        if joined.leader == joined.member_id and not joined.skip_assignment:
            assignments = handed_out([m.member_id for m in joined.members], self._site.places)
        mark = self._site.mark()
        answer = await self._caller.ask(
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
        self._site.note(self._site.name, f"sync {self.generation}: {code.name} {places}")
        if code:
            self.refused(code)
            return
        self.places = places
        owner = self.instance or self.member_id
        told = self._site.mark()
        synced = Synced(mark, told, self.group, self.generation, owner, places)
        self._site.tell(self._site.name, synced)

    async def heartbeat(self) -> None:
        """Say that it is alive."""
        answer = await self._caller.ask(
            HeartbeatRequest(
                group_id=self.group,
                generation_id=self.generation,
                member_id=self.member_id,
                group_instance_id=self.instance,
            ),
            HeartbeatResponse,
        )
        self.refused(ErrorCode.of(answer.error_code))

    async def leave(self) -> None:
        """Go."""
        one = MemberIdentity(member_id=self.member_id, group_instance_id=self.instance)
        several = self._caller.versions[ApiKey.LEAVE_GROUP] >= _SEVERAL_LEAVERS
        request = LeaveGroupRequest(
            group_id=self.group,
            member_id="" if several else self.member_id,
            members=[one] if several else [],
        )
        answer = await self._caller.ask(request, LeaveGroupResponse)
        self._site.note(self._site.name, f"leaves: {ErrorCode.of(answer.error_code).name}")
        self.member_id, self.places = "", None

    def refused(self, code: ErrorCode) -> None:
        """Take an error to heart: what follows from it for the membership.

        Raises:
            Fenced: it is another one's.
        """
        if not code:
            return
        self._site.note(self._site.name, f"is told {code.name}")
        if code is ErrorCode.FENCED_INSTANCE_ID:
            raise Fenced
        gone = code is ErrorCode.GROUP_ID_NOT_FOUND and self._site.may_lose()
        if gone or code in NEW_START:
            self.member_id, self.places = "", None
        elif code in AGAIN:
            self.places = None
        else:
            assert code.retriable, f"{self._site.name} was told {code.name}"
