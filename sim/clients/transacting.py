"""SimTransactor: a transactional producer that commits some transactions, aborts some, and dies amid others."""

from sim.clients.sent_batch import drawn_values
from sim.clients.transaction import Refused, SimTransaction
from sim.events import Acknowledged, Place, TransactionEnded
from sim.world.site import Site

_MOST_PLACES, _MOST_BATCHES = 3, 3


class SimTransactor:
    """One life of a producer under a lasting `name`; what it sends is counted in `numbers`."""

    def __init__(
        self,
        site: Site,
        numbers: dict[Place, int],
        rounds: list[int],
        transaction: SimTransaction | None = None,
    ) -> None:
        """`numbers` and `rounds` (one number: those that are left) outlive it."""
        self._site = site
        self._numbers = numbers
        self._rounds = rounds
        self._transaction = transaction or SimTransaction(site)

    @property
    def is_done(self) -> bool:
        """Whether none are left."""
        return not self._rounds[0]

    async def run(self) -> None:
        """Do transactions until none are left."""
        transaction = self._transaction
        await transaction.begin()
        while self._rounds[0]:
            await self._site.sleep(0.0, 1.5)
            sent: dict[Place, list[bytes]] = {}
            outcome: bool | None = False
            wish = self._site.entropy.chance(0.7)
            mark = self._site.mark()
            # Should it die from here on, who comes after it finds out nothing of this one.
            open_ = TransactionEnded(mark, self._site.name, sent, committed=False)
            self._site.tell(self._site.name, open_)
            try:
                await self._send_some(sent)
                outcome = None
                if wish:
                    # From here on it may be committed, if nobody says what became of it.
                    unknown = TransactionEnded(mark, self._site.name, sent, committed=None)
                    self._site.tell(self._site.name, unknown)
                await transaction.end(commit=wish)
                outcome = wish
            except Refused as refused:
                self._site.note(self._site.name, f"gives up: {refused}")
                outcome = outcome if wish else False
                await transaction.begin()
            ended = TransactionEnded(mark, self._site.name, sent, committed=outcome)
            self._site.tell(self._site.name, ended)
            self._rounds[0] -= 1
        transaction.hang_up()
        self._site.note(self._site.name, "is done")

    async def _send_some(self, sent: dict[Place, list[bytes]]) -> None:
        site = self._site
        for _ in range(1 + site.entropy.below(_MOST_PLACES)):
            place = site.entropy.one_of(site.places)
            if place not in sent:
                sent[place] = []
                await self._transaction.add(place)
            for _ in range(1 + site.entropy.below(_MOST_BATCHES)):
                await site.stall()
                await self._send(place, sent[place])

    async def _send(self, place: Place, sent: list[bytes]) -> None:
        first = self._numbers.get(place, 0)
        values = drawn_values(self._site, place, first)
        self._numbers[place] = first + len(values)
        sent += values
        mark = self._site.mark()
        base = await self._transaction.send(place, values)
        self._site.tell(self._site.name, Acknowledged(mark, place, base, values))
