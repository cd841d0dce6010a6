"""SimSharer: a member of a share group: takes records, and says of each sooner or later what became of it."""

from collections.abc import Mapping

from barnabas.coordinators.share_partition.partition import Acknowledge
from barnabas.errors import ErrorCode
from sim.events import AcknowledgeDone, AcknowledgeSent, Delivered, FetchLost, LetsGo, Place
from sim.groups.share_membership import ShareMembership
from sim.groups.share_session import Kinds, ShareResponse, ShareSession, Taken
from sim.world.caller import Lost
from sim.world.site import Site

_LONGEST_PAUSE = 1.0
_MOST_RECORDS = 12
_WISHES = (
    (Acknowledge.ACCEPT,) * 12
    + (Acknowledge.RELEASE,) * 2
    + (Acknowledge.REJECT, Acknowledge.RENEW)
    + (None,) * 2
)
"""What it may make of a record in a round; None: nothing yet, so that its lock may end."""


class SimSharer:
    """One life of a member."""

    def __init__(self, site: Site, group: str, lock_seconds: float) -> None:
        self._site = site
        self._lock_seconds = lock_seconds
        self.membership = ShareMembership(site, group)
        who = group, self.membership.member_id
        self._session = ShareSession(site.caller(), self.membership.ids, who)
        self._fetcher = self._session.caller
        self._hand: dict[Place, Taken] = {}
        self.leaves = False
        self.is_gone = False
        self._idle_since: float | None = None

    @property
    def owner(self) -> str:
        """Its name."""
        return self.membership.member_id

    def is_idle_for(self, seconds: float) -> bool:
        """Whether it has nothing in hand, and was offered nothing for so long."""
        since = self._idle_since
        return since is not None and self._site.process.loop.now() - since >= seconds

    def look_again(self) -> None:
        """See `Player`."""
        self._idle_since = None

    async def run(self) -> None:
        """Until it leaves."""
        site, membership = self._site, self.membership
        is_prepared = False
        while not self.is_gone:
            try:
                if self.leaves:
                    self._let_go()
                    await membership.leave()
                    self.is_gone = True
                elif not is_prepared:
                    await site.sleep(0.0, 0.3)
                    is_prepared = await membership.prepare()
                else:
                    await self._work()
            except Lost:
                site.note(site.name, "lost its connection")
                self._let_go()
                await site.sleep(0.05, 1.0)
        membership.caller.hang_up()
        self._fetcher.hang_up()

    def on_killed(self) -> None:
        """Its connections are gone, and what was on its way to it."""
        self._site.tell(self._site.name, LetsGo(self.membership.group, self.owner))
        self._site.tell(self._site.name, FetchLost(self.membership.group))

    def _let_go(self) -> None:
        self._idle_since = None
        self._hand.clear()
        self._session.reset()
        self._fetcher.hang_up()
        self._site.tell(self._site.name, LetsGo(self.membership.group, self.owner))

    async def _work(self) -> None:
        """A heartbeat, a fetch, perhaps some words about what it has."""
        site, membership = self._site, self.membership
        await site.stall()
        if not await membership.beat():
            self._let_go()
            await site.sleep(0.05, 0.5)
            return
        acknowledgements = self._drawn()
        if acknowledgements and self._session.is_open and site.entropy.chance(0.5):
            await self._acknowledge(acknowledgements)
            acknowledgements = {}
        if membership.places:
            await self._fetch(acknowledgements if self._session.is_open else {})
        await site.sleep(0.02, _LONGEST_PAUSE)

    def _drawn(self) -> dict[Place, dict[int, Acknowledge]]:
        """What it says now of what it has."""
        acknowledgements: dict[Place, dict[int, Acknowledge]] = {}
        for place, taken in self._hand.items():
            kinds: dict[int, Acknowledge] = {}
            for offset in taken.counts:
                wish = self._site.entropy.one_of(_WISHES)
                if offset in taken.gaps:
                    kinds[offset] = Acknowledge.GAP
                elif wish is Acknowledge.RENEW and not self._session.can_renew:
                    continue
                elif wish is not None:
                    kinds[offset] = wish
            if kinds:
                acknowledgements[place] = kinds
        return acknowledgements

    async def _acknowledge(self, acknowledgements: Mapping[Place, Kinds]) -> None:
        mark = self._send_acknowledgements(acknowledgements)
        self._receive(mark, acknowledgements, await self._session.acknowledge(acknowledgements))

    async def _fetch(self, acknowledgements: Mapping[Place, Kinds]) -> None:
        """Renewals go another way, as nothing is fetched with them."""
        site, group = self._site, self.membership.group
        acknowledgements = {
            place: kept
            for place, kinds in acknowledgements.items()
            if (kept := {at: one for at, one in kinds.items() if one is not Acknowledge.RENEW})
        }
        mark, asked_at = self._send_acknowledgements(acknowledgements), site.process.loop.now()
        most = 1 + site.entropy.below(_MOST_RECORDS)
        try:
            response = await self._session.fetch(self.membership.places, most, acknowledgements)
        except Lost:
            site.tell(site.name, FetchLost(group))
            raise
        self._receive(mark, acknowledgements, response)
        now = site.process.loop.now()
        until = min(asked_at + self._lock_seconds, self.membership.sure_until)
        for place, taken in response.taken.items():
            known = self._hand.get(place, Taken({}, frozenset()))
            self._hand[place] = Taken({**known.counts, **taken.counts}, known.gaps | taken.gaps)
            event = Delivered(mark, site.mark(), now, group, self.owner, place, taken.counts, until)
            site.tell(site.name, event)
        is_idle = not response.error and not self._hand
        self._idle_since = (self._idle_since or now) if is_idle else None

    def _send_acknowledgements(self, acknowledgements: Mapping[Place, Kinds]) -> int:
        mark = self._site.mark()
        for place, kinds in acknowledgements.items():
            event = AcknowledgeSent(mark, self.membership.group, self.owner, place, kinds)
            self._site.tell(self._site.name, event)
        return mark

    def _receive(
        self, mark: int, acknowledgements: Mapping[Place, Kinds], response: ShareResponse
    ) -> None:
        site = self._site
        if response.error:
            site.note(site.name, f"gets {response.error.name}")
            self._let_go()
            return
        now = site.process.loop.now()
        for place, kinds in acknowledgements.items():
            code = response.codes[place]
            site.note(site.name, f"acknowledged {place} {dict(kinds)}: {code.name}")
            taken = self._hand[place]
            done = {at for at, kind in kinds.items() if kind is not Acknowledge.RENEW or code}
            left = {at: count for at, count in taken.counts.items() if at not in done}
            self._hand[place] = Taken(left, taken.gaps & left.keys())
            if not left:
                del self._hand[place]
            refused = code is ErrorCode.INVALID_RECORD_STATE
            if not code or refused:
                event = AcknowledgeDone(
                    mark,
                    site.mark(),
                    now,
                    self.membership.group,
                    self.owner,
                    place,
                    kinds,
                    refused=refused,
                )
                site.tell(site.name, event)
            else:
                assert code.retriable, f"{site.name} got {code.name} at {place}"
