"""SimMember: a consumer in a group: reads what it owns, commits how far it is, and is not reliable."""

from collections.abc import Callable, Iterable, Sequence

from barnabas.errors import ErrorCode
from barnabas.protocol.offset_commit import OffsetCommitResponse
from sim.clients.reading import COMMITTED, read
from sim.events import Committed, Fetched, Place, Positions
from sim.groups.membership import Ended, Membership
from sim.groups.positions import commit_of, committed_positions
from sim.world.caller import Lost
from sim.world.site import Site

_READ_AT_ONCE = 3
_LONGEST_PAUSE = 2.0


class SimMember:
    """One life of a member. It commits only positions behind those that it received."""

    asks_for_stable = False
    """Whether it waits for transactions that have sent positions."""

    def __init__(self, site: Site, membership: Membership, on_ended: Callable[[], None]) -> None:
        self.site = site
        self.membership = membership
        self._on_ended = on_ended
        self._isolation = site.entropy.below(COMMITTED + 1)
        self.fetcher = site.caller()
        self.positions: dict[Place, int] = {}
        self.committed: dict[Place, int] = {}
        self.ends: dict[Place, int] = {}
        self.leaves = False
        self.is_gone = False

    async def run(self) -> None:
        """Until it leaves or is ended."""
        site, membership = self.site, self.membership
        while not self.is_gone:
            try:
                if self.leaves:
                    await membership.leave()
                    self.is_gone = True
                elif membership.places is None:
                    self.forget(tuple(self.positions))
                    await membership.join()
                    if membership.places is None:
                        await site.sleep(0.05, 0.3)
                else:
                    await self._learn(membership.places)
                    await self.work(membership.places)
            except Lost:
                site.note(site.name, "lost its connection")
                await site.sleep(0.05, 1.0)
            except Ended as why:
                site.note(site.name, f"ends: {why}")
                self.is_gone = True
                self._on_ended()
        self.hang_up()

    def on_killed(self) -> None:
        """The broker does not learn of it before its session ends."""

    def look_again(self) -> None:
        """See `Player`."""
        self.ends.clear()

    def hang_up(self) -> None:
        """Close its connections."""
        self.membership.caller.hang_up()
        self.fetcher.hang_up()

    async def _learn(self, places: tuple[Place, ...]) -> None:
        """Learn where to go on with what is new."""
        site, membership = self.site, self.membership
        new = [place for place in places if place not in self.positions]
        if not new:
            return
        mark = site.mark()
        positions = await committed_positions(membership, new, stable=self.asks_for_stable)
        site.note(site.name, f"goes on from {positions}")
        if positions is not None:
            event = Positions(mark, membership.group, positions, is_stable=self.asks_for_stable)
            site.tell(site.name, event)
            self.positions |= {place: max(offset, 0) for place, offset in positions.items()}
            self.committed |= positions

    def forget(self, places: Iterable[Place]) -> None:
        """It does not read these any more."""
        for place in places:
            for known in (self.positions, self.committed, self.ends):
                known.pop(place, None)

    async def give_back(self, places: Sequence[Place]) -> None:
        """Somebody else is to have these: say how far it is, if it comes to that."""
        await self.site.stall()
        last = {one: at for one, at in self._news().items() if one in places}
        self.forget(places)
        if self.site.entropy.chance(0.7):
            await self._commit(last)
        self.forget(places)

    async def work(self, places: tuple[Place, ...]) -> None:
        """One round: some reading, a heartbeat, perhaps a commit."""
        site = self.site
        first = site.entropy.below(len(places)) if places else 0
        for place in (places[first:] + places[:first])[:_READ_AT_ONCE]:
            await self._read(place)
        if await site.stall() and site.entropy.chance(0.8):
            # As one does that does not know how long it slept.
            await self._commit(dict(self.positions))
        if self.membership.places is not None:
            await self.membership.heartbeat(self.give_back)
        if self.membership.places is not None or site.entropy.chance(0.5):
            await self._commit(self._news())
        await site.sleep(0.05, _LONGEST_PAUSE)

    async def _read(self, place: Place) -> None:
        site = self.site
        if place not in self.positions:
            return
        mark = site.mark()
        part = await read(
            self.fetcher,
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
        site, membership = self.site, self.membership
        if not news:
            return
        mark = site.mark()
        answer = await membership.caller.ask(commit_of(membership, news), OffsetCommitResponse)
        codes = {
            (topic.name, one.partition_index): ErrorCode.of(one.error_code)
            for topic in answer.topics
            for one in topic.partitions
        }
        kept = {place: offset for place, offset in news.items() if not codes[place]}
        site.note(site.name, f"commits {news}: {[code.name for code in codes.values()]}")
        if kept:
            self.committed |= kept
            self.tell_committed(mark, kept)
        for code in codes.values():
            membership.refused(code)

    def tell_committed(self, mark: int, kept: dict[Place, int]) -> None:
        """The group's positions, as a response reported them."""
        site, member = self.site, self.membership
        event = Committed(
            mark,
            site.mark(),
            site.process.loop.now(),
            member.group,
            member.generation,
            member.owner,
            kept,
            by_place=member.by_place,
        )
        site.tell(site.name, event)
