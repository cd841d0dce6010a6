"""ClusterCommitter: keeps positions in a group that nobody is in, wherever its coordinator goes."""

from barnabas.errors import ErrorCode
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from sim.cluster.routing import GROUP, Routing
from sim.events import Committed, Place, Positions, Violation
from sim.world.caller import Lost
from sim.world.site import Site

_PATIENCE_SECONDS = 4.0


class ClusterCommitter:
    """Commits positions that grow, and asks for them; what is not acknowledged it commits again."""

    def __init__(self, site: Site, routing: Routing, rounds: int) -> None:
        self.site = site
        self._routing = routing
        self._left = rounds
        self._positions: dict[Place, int] = dict.fromkeys(site.places, 0)

    @property
    def is_done(self) -> bool:
        """Whether all is committed, and was there."""
        return not self._left

    async def run(self) -> None:
        """Commit all."""
        site = self.site
        while self._left:
            await site.sleep(0.0, 1.0)
            act = self._fetch if self._left == 1 or site.entropy.chance(0.3) else self._commit
            try:
                code = await act()
            except Lost:
                code = ErrorCode.COORDINATOR_NOT_AVAILABLE
            if not code:
                self._left -= 1
                continue
            site.note(site.name, f"{act.__name__}: {code.name}")
            if not code.retriable:
                raise Violation(f"{site.name} was refused: {code.name}")
            self._routing.forget_coordinator(site.name)

    async def _commit(self) -> ErrorCode:
        site, place = self.site, self.site.entropy.one_of(self.site.places)
        self._positions[place] += 1
        offset = self._positions[place]
        row = OffsetCommitRequestPartition(
            partition_index=place[1], committed_offset=offset, committed_metadata=""
        )
        request = OffsetCommitRequest(
            group_id=site.name,
            generation_id_or_member_epoch=-1,
            member_id="",
            topics=[OffsetCommitRequestTopic(name=place[0], partitions=[row])],
        )
        caller = await self._routing.coordinator(site.name, GROUP)
        mark = site.mark()
        answer = await caller.ask(request, OffsetCommitResponse, _PATIENCE_SECONDS)
        code = ErrorCode.of(answer.topics[0].partitions[0].error_code)
        if not code:
            now, kept = site.process.loop.now(), {place: offset}
            site.tell(
                site.name,
                Committed(mark, site.mark(), now, site.name, -1, site.name, kept, by_place=False),
            )
        return code

    async def _fetch(self) -> ErrorCode:
        site = self.site
        caller = await self._routing.coordinator(site.name, GROUP)
        mark = site.mark()
        request = OffsetFetchRequest(group_id=site.name)
        answer = await caller.ask(request, OffsetFetchResponse, _PATIENCE_SECONDS)
        code = ErrorCode.of(answer.error_code)
        if not code:
            found = dict.fromkeys(site.places, -1)
            for topic in answer.topics:
                for row in topic.partitions:
                    found[topic.name, row.partition_index] = row.committed_offset
            site.tell(site.name, Positions(mark, site.name, found, is_stable=False))
        return code
