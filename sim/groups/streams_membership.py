"""StreamsMembership: one member's way through a streams group: heartbeats, and the tasks they bring."""

from collections.abc import Mapping
from contextlib import suppress

from barnabas.coordinators.streams_group.statuses import StatusCode
from barnabas.errors import ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.streams_group_heartbeat import (
    Endpoint,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
)
from sim.events import Beaten, BuildRefused, Does, EndsAll, StreamsTask
from sim.groups.deployment import Deployment
from sim.groups.describing import describe
from sim.groups.group_kind import GroupKind
from sim.groups.membership import Ended, GiveBack, Membership
from sim.groups.streams_topology import places_of, rows_of, tasks_in, topology
from sim.scenario import STREAMERS_GROUP, STREAMS_SESSION_MS
from sim.world.caller import Caller, Lost
from sim.world.site import Site

_JOINS, _LEAVES = 0, -1
_NOTHING: tuple[StreamsTask, ...] = ()


class StreamsMembership(Membership):
    """A thread of an application. It gives tasks back before it says that it has not got them.

    It does what the group's topology has for it, also if its own is older, as Kafka's own does.
    """

    NEW_START = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})
    LATER = frozenset({ErrorCode.STALE_MEMBER_EPOCH})
    is_consumer = True

    def __init__(self, site: Site, caller: Caller, process: str, deployment: Deployment) -> None:
        """`process`: which one it is a thread of; those of one share memory and disk."""
        super().__init__(site, caller, STREAMERS_GROUP, GroupKind.CONSUMER, None)
        self.process = process
        self._deployment = deployment
        self._build = deployment.build
        """Its own for good: while it is slow to leave, the next life may begin with another."""
        self._id = uuid_text(site.entropy.uuid())
        self._endpoint = Endpoint(host=process, port=1) if site.entropy.chance(0.5) else None
        self._active = self._standby = _NOTHING
        self._says_all = True
        """It does where an answer was lost, as it does not know what has come of it."""
        self._has_changed = False
        self._sure_since = 0.0
        """When it asked what was answered last and left it nothing to give back."""
        self._endpoints = -1
        self._ended_by = ""
        """The status that names the member that shuts down the application."""

    def began(self) -> None:
        """See `Membership`."""
        self._active = self._standby = _NOTHING
        super().began()

    async def join(self) -> None:
        """See `Membership`. It stays who it was if it was fenced, as Kafka's own does."""
        self.began()
        self.member_id, self.generation = self._id, _JOINS
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        answer = await self._ask(self._request(_JOINS))
        if answer is not None:
            assert answer.active_tasks is not None, "the response to a join has everything"
            self._take(mark, answer)
            self._has_changed = bool(self._active or self._standby)
            self._sure_since = asked_at
            self._tell_does(mark)
            await self._end_if_requested()

    async def heartbeat(self, give_back: GiveBack) -> None:
        """See `Membership`."""
        mark, asked_at = self.site.mark(), self.site.process.loop.now()
        answer = await self._ask(self._request(self.generation))
        if answer is None:
            return
        had = self._active, self._standby
        self._take(mark, answer)
        self._has_changed = had != (self._active, self._standby)
        surplus = set(had[0]).difference(self._active)
        if surplus or not set(had[1]).issubset(self._standby):
            await give_back(places_of(surplus))
        else:
            self._sure_since = asked_at
        if self.places is not None:
            self._tell_does(mark)
        await self._end_if_requested()
        if self.site.entropy.chance(0.2):
            await describe(self.site, self.caller, self.group)

    async def leave(self) -> None:
        """See `Membership`."""
        self.began()
        if self.member_id and self.generation > 0:
            await self._ask(self._request(_LEAVES))
        self.member_id = ""

    def _take(self, mark: int, answer: StreamsGroupHeartbeatResponse) -> None:
        self.generation = answer.member_epoch
        self._endpoints = answer.endpoint_information_epoch
        if answer.active_tasks is not None and answer.standby_tasks is not None:
            self._active = tasks_in(answer.active_tasks)
            self._standby = tasks_in(answer.standby_tasks)
        self.took(mark, places_of(self._active))

    def _tell_does(self, mark: int) -> None:
        until = self._sure_since + min(STREAMS_SESSION_MS, self.rebalance_ms) / 1000
        self.holds(mark, until)
        does = Does(
            mark,
            self.site.mark(),
            self.site.process.loop.now(),
            self.group,
            self.owner,
            self.process,
            self._active,
            self._standby,
            until,
        )
        self.site.tell(self.site.name, does)

    async def _ask(
        self, request: StreamsGroupHeartbeatRequest
    ) -> StreamsGroupHeartbeatResponse | None:
        """The answer; None: it was an error, and is taken to heart."""
        self._says_all = True
        mark = self.site.mark()
        if request.shutdown_application:
            self.site.tell(self.site.name, EndsAll(mark, None, self.group, self.owner))
        answer = await self.caller.ask(request, StreamsGroupHeartbeatResponse)
        self._says_all = False
        code = ErrorCode.of(answer.error_code)
        statuses = [(one.status_code, one.status_detail) for one in answer.status or ()]
        news = None if answer.active_tasks is None else (answer.active_tasks, answer.standby_tasks)
        self.site.note(
            self.site.name,
            f"beats {request.member_epoch}: {code.name} {answer.member_epoch} {news} {statuses}",
        )
        if code is ErrorCode.INVALID_REQUEST and request.topology is not None:
            self._on_build_refused(mark)
        self.refused(code)
        if code:
            return None
        self._tell_answer(mark, request, {StatusCode(number): why for number, why in statuses})
        return answer

    def _on_build_refused(self, mark: int) -> None:
        self.site.tell(self.site.name, BuildRefused(mark, self.group, self._build))
        self._deployment.on_refused()
        raise Ended(f"the group has another topology than that of {self._build}")

    def _tell_answer(
        self, mark: int, request: StreamsGroupHeartbeatRequest, statuses: Mapping[StatusCode, str]
    ) -> None:
        now = self.site.mark()
        if request.shutdown_application:
            self.site.tell(self.site.name, EndsAll(mark, now, self.group, self.owner))
        self._ended_by = statuses.get(StatusCode.SHUTDOWN_APPLICATION, "")
        if request.member_epoch != _LEAVES:
            beaten = Beaten(
                mark,
                now,
                self.group,
                self.owner,
                request.member_epoch == _JOINS,
                self._build,
                StatusCode.STALE_TOPOLOGY in statuses,
                self._ended_by,
            )
            self.site.tell(self.site.name, beaten)

    async def _end_if_requested(self) -> None:
        """All end, each when it is ready; whoever sees to them starts each again."""
        if self._ended_by and self.site.entropy.chance(0.4):
            with suppress(Lost):
                await self.leave()
            raise Ended("so does the whole application")

    def _request(self, epoch: int) -> StreamsGroupHeartbeatRequest:
        joins = epoch == _JOINS
        is_unsure = self._says_all or self.may_be_forgotten
        says_all = joins or (is_unsure and epoch != _LEAVES)
        says_tasks = says_all or (self._has_changed and epoch != _LEAVES)
        return StreamsGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=epoch,
            endpoint_information_epoch=self._endpoints,
            rebalance_timeout_ms=self.rebalance_ms if says_all else -1,
            topology=topology(self._build) if joins else None,
            active_tasks=rows_of(self._active) if says_tasks else None,
            standby_tasks=rows_of(self._standby) if says_tasks else None,
            warmup_tasks=[] if says_tasks else None,
            process_id=self.process if says_all else None,
            user_endpoint=self._endpoint if says_all else None,
            shutdown_application=self._deployment.ends_all,
        )
