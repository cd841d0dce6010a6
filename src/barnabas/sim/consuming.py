"""SimMember: a consumer in a group: reads what it owns, commits how far it is, and is not reliable."""

from collections.abc import Callable

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from barnabas.sim.caller import Lost
from barnabas.sim.events import Committed, Fetched, Place, Positions
from barnabas.sim.membership import Fenced, Membership
from barnabas.sim.reading import COMMITTED, read
from barnabas.sim.site import Site

_SEVERAL_GROUPS = 8
"""The first version of OffsetFetch that names groups in a list."""


_READ_AT_ONCE = 3
_LONGEST_PAUSE = 2.0


class SimMember:
    """One life of a member. It commits positions that are behind those it was told, never before."""

    def __init__(
        self, site: Site, group: str, instance: str | None, on_fenced: Callable[[], None]
    ) -> None:
        self._site = site
        self._on_fenced = on_fenced
        self._isolation = site.entropy.below(COMMITTED + 1)
        self._caller = site.caller()
        self._fetcher = site.caller()
        self.membership = Membership(site, self._caller, group, instance)
        self.positions: dict[Place, int] = {}
        self.committed: dict[Place, int] = {}
        self.ends: dict[Place, int] = {}
        self.leaves = False
        self.is_gone = False

    async def run(self) -> None:
        """Until it leaves or is fenced."""
        site, membership = self._site, self.membership
        while not self.is_gone:
            try:
                if self.leaves:
                    await membership.leave()
                    self.is_gone = True
                elif membership.places is None:
                    places = await membership.join()
                    if places is not None:
                        await self._begin(places)
                    else:
                        await site.sleep(0.05, 0.3)
                else:
                    await self._work(membership.places)
            except Lost:
                site.note(site.name, "lost its connection")
                await site.sleep(0.05, 1.0)
            except Fenced:
                site.note(site.name, "is fenced")
                self.is_gone = True
                self._on_fenced()
        self._caller.hang_up()
        self._fetcher.hang_up()

    async def _begin(self, places: tuple[Place, ...]) -> None:
        """Learn where to go on."""
        site, group = self._site, self.membership.group
        self.positions.clear()
        self.committed.clear()
        self.ends.clear()
        while places and self.membership.places == places and not self.positions:
            mark = site.mark()
            try:
                answer = await self._caller.ask(self._question(places), OffsetFetchResponse)
            except Lost:
                await site.sleep(0.05, 0.5)
                continue
            told = _told(answer)
            site.note(site.name, f"goes on from {told}")
            if told is None:
                await site.sleep(0.05, 0.5)
                continue
            site.tell(site.name, Positions(mark, group, told))
            self.positions = {place: max(offset, 0) for place, offset in told.items()}
            self.committed = dict(told)

    async def _work(self, places: tuple[Place, ...]) -> None:
        """One round: a heartbeat, some reading, perhaps a commit."""
        site = self._site
        first = site.entropy.below(len(places)) if places else 0
        for place in (places[first:] + places[:first])[:_READ_AT_ONCE]:
            await self._read(place)
        if await site.stall() and site.entropy.chance(0.8):
            # As one does that does not know how long it slept.
            await self._commit(dict(self.positions))
        await self.membership.heartbeat()
        if self.membership.places is not None or site.entropy.chance(0.5):
            await self._commit(self._news())
        await site.sleep(0.05, _LONGEST_PAUSE)

    async def _read(self, place: Place) -> None:
        site = self._site
        if place not in self.positions:
            return
        mark = site.mark()
        part = await read(
            self._fetcher,
            place,
            self.positions[place],
            wait_ms=100,
            isolation=self._isolation,
        )
        if part.error is ErrorCode.OFFSET_OUT_OF_RANGE:
            assert site.may_lose(), f"{self.positions[place]} of {place} is out of range"
            self.positions[place] = 0
        elif not part.error:
            committed = self._isolation == COMMITTED
            site.tell(site.name, Fetched(mark, place, part.values, part.end, committed))
            self.positions[place] = part.next_offset
            self.ends[place] = part.end

    def _news(self) -> dict[Place, int]:
        return {
            place: offset
            for place, offset in self.positions.items()
            if offset > self.committed.get(place, -1)
        }

    async def _commit(self, news: dict[Place, int]) -> None:
        site, membership = self._site, self.membership
        if not news:
            return
        mark = site.mark()
        answer = await self._caller.ask(self._wish(news), OffsetCommitResponse)
        codes = {
            (topic.name, one.partition_index): ErrorCode.of(one.error_code)
            for topic in answer.topics
            for one in topic.partitions
        }
        kept = {place: offset for place, offset in news.items() if not codes[place]}
        site.note(site.name, f"commits {news}: {[code.name for code in codes.values()]}")
        if kept:
            self.committed |= kept
            committed = Committed(mark, site.mark(), membership.group, membership.generation, kept)
            site.tell(site.name, committed)
        for code in codes.values():
            membership.refused(code)

    def _wish(self, positions: dict[Place, int]) -> OffsetCommitRequest:
        membership = self.membership
        return OffsetCommitRequest(
            group_id=membership.group,
            generation_id_or_member_epoch=membership.generation,
            member_id=membership.member_id,
            group_instance_id=membership.instance,
            topics=[
                OffsetCommitRequestTopic(
                    name=topic,
                    partitions=[
                        OffsetCommitRequestPartition(
                            partition_index=index, committed_offset=offset, committed_metadata=""
                        )
                    ],
                )
                for (topic, index), offset in positions.items()
            ],
        )

    def _question(self, places: tuple[Place, ...]) -> OffsetFetchRequest:
        by_topic: dict[str, list[int]] = {}
        for topic, index in places:
            by_topic.setdefault(topic, []).append(index)
        if self._caller.versions[ApiKey.OFFSET_FETCH] < _SEVERAL_GROUPS:
            topics = [
                OffsetFetchRequestTopic(name=topic, partition_indexes=indexes)
                for topic, indexes in by_topic.items()
            ]
            return OffsetFetchRequest(group_id=self.membership.group, topics=topics)
        asked = [
            OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
            for topic, indexes in by_topic.items()
        ]
        group = OffsetFetchRequestGroup(group_id=self.membership.group, topics=asked)
        return OffsetFetchRequest(groups=[group])


def _told(answer: OffsetFetchResponse) -> dict[Place, int] | None:
    """The positions; None where there was an error."""
    told = [(topic.name, one) for topic in answer.topics for one in topic.partitions]
    later = [
        (topic.name, one)
        for group in answer.groups
        for topic in group.topics
        for one in topic.partitions
    ]
    if any(one.error_code for _, one in told) or any(one.error_code for _, one in later):
        return None
    found = {(name, one.partition_index): one.committed_offset for name, one in told}
    found |= {(name, one.partition_index): one.committed_offset for name, one in later}
    return found or None
