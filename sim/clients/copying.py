"""SimCopier: a member of a group that copies in transactions, which its positions are part of (KIP-447)."""

from collections.abc import Callable, Sequence

from sim.clients.consuming import SimMember
from sim.clients.reading import COMMITTED, read
from sim.clients.transaction import Refused, SimTransaction
from sim.events import OffsetsEnded, Place
from sim.groups.membership import Membership
from sim.scenario import copy_of
from sim.world.site import Site

_LONGEST_PAUSE = 1.0
_NAPS = 0.04
"""How often it stands still between its last record and the end of its transaction."""


class SimCopier(SimMember):
    """What counts of a partition goes to the one of the same number in another topic, in its order."""

    asks_for_stable = True

    def __init__(self, site: Site, membership: Membership, on_ended: Callable[[], None]) -> None:
        super().__init__(site, membership, on_ended)
        self._transaction = SimTransaction(site)

    async def run(self) -> None:
        """Until it leaves or is ended."""
        await self._transaction.begin()
        await super().run()

    def hang_up(self) -> None:
        """Close its connections."""
        super().hang_up()
        self._transaction.hang_up()

    async def give_back(self, places: Sequence[Place]) -> None:
        """What is committed is committed."""
        await self.site.stall()
        self.forget(places)

    async def work(self, places: tuple[Place, ...]) -> None:
        """One round: a heartbeat, and something of one partition."""
        await self.membership.heartbeat(self.give_back)
        ready = [place for place in places if place in self.positions]
        if self.membership.places is not None and ready:
            await self._copy(self.site.entropy.one_of(ready))
        await self.site.sleep(0.05, _LONGEST_PAUSE)

    async def _copy(self, place: Place) -> None:
        at = self.positions[place]
        part = await read(self.fetcher, place, at, wait_ms=100, isolation=COMMITTED)
        assert not part.error or part.error.retriable, f"{place} at {at}: {part.error.name}"
        if part.error:
            return
        self.ends[place] = part.high_watermark
        values = tuple(part.values[offset] for offset in sorted(part.values))
        if not values:
            self.positions[place] = self.committed[place] = part.next_offset
            return
        try:
            await self._send(place, values, part.next_offset)
        except Refused as refused:
            self.site.note(self.site.name, f"gives up: {refused}")
            await self._transaction.begin()
            self.forget(tuple(self.positions))

    async def _send(self, place: Place, values: tuple[bytes, ...], after: int) -> None:
        site, transaction, group = self.site, self._transaction, self.membership.group
        mark, kept = site.mark(), {place: after}
        site.tell(site.name, OffsetsEnded(mark, group, kept, committed=False))
        target = copy_of(place)
        await transaction.add(target)
        await site.stall()
        await transaction.send(target, values)
        await site.stall()
        asked = site.mark()
        await transaction.commit_offsets(self.membership, kept)
        if site.entropy.chance(_NAPS):
            # Its session may end meanwhile: who has its partitions then must wait for this one.
            await site.sleep(5.0, 14.0)
        if not site.entropy.chance(0.8):
            await transaction.end(commit=False)
            return
        site.tell(site.name, OffsetsEnded(mark, group, kept, committed=None))
        await transaction.end(commit=True)
        site.tell(site.name, OffsetsEnded(mark, group, kept, committed=True))
        self.positions |= kept
        self.committed |= kept
        self.tell_committed(asked, kept)
