"""Transactors: the transactional producers of a run: begun, killed, stalled, replaced under their names."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sim.clients.transacting import SimTransactor
from sim.events import Place
from sim.scenario import Scenario
from sim.world.entropy import SeededEntropy
from sim.world.process import Process
from sim.world.site import Site
from sim.world.versions import TRANSACTIONS_2


@dataclass(slots=True)
class _Part:
    """One name, whoever has it now; what it has sent and has still to do is that of all its lives."""

    site: Site
    rounds: list[int]
    numbers: dict[Place, int] = field(default_factory=dict)


class Transactors:
    """All of them."""

    def __init__(
        self,
        scenario: Scenario,
        entropy: SeededEntropy,
        begin_site: Callable[[str, SeededEntropy], Site],
    ) -> None:
        self._entropy = entropy
        self._parts: list[_Part] = []
        for number in range(scenario.transactors):
            name = f"transaction_driver-{number}"
            site = begin_site(name, entropy.stream(name))
            if not scenario.release and entropy.chance(0.5):
                site.versions |= TRANSACTIONS_2
            part = _Part(site, [scenario.transactions])
            self._parts.append(part)
            self._play(part)

    @property
    def are_done(self) -> bool:
        """Whether all transactions are ended."""
        return not any(part.rounds[0] for part in self._parts)

    def kill_one(self) -> str:
        """One ends amid whatever it does; another one of its name begins after a while. Says which."""
        part = self._entropy.one_of(self._parts)
        part.site.process.die()
        process = Process(part.site.process.loop, part.site.name)
        part.site = replace(part.site, process=process, stalled_until=0.0)
        process.after(self._entropy.between(0.1, 20.0), lambda: self._play(part))
        return part.site.name

    def stall_one(self) -> str:
        """One stands still, perhaps for longer than its transaction may last. Says which."""
        part = self._entropy.one_of(self._parts)
        seconds = self._entropy.between(1.0, 30.0)
        part.site.stalled_until = part.site.process.loop.now() + seconds
        return part.site.name

    def _play(self, part: _Part) -> None:
        part.site.process.begin(SimTransactor(part.site, part.numbers, part.rounds).run())
