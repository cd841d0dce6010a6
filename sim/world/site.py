"""Site: what a simulated client has of the world, and what all of its lives share."""

from collections.abc import Callable
from dataclasses import dataclass

from barnabas.protocol.api_keys import ApiKey
from sim.events import Event, Place
from sim.world.caller import PORT, Caller
from sim.world.clock import SimClock
from sim.world.entropy import SeededEntropy
from sim.world.network import Net, SimNetwork
from sim.world.process import Process
from sim.world.promise import Promise


@dataclass(slots=True, kw_only=True)
class Site:
    """One client's place. `process` is a new one after each death."""

    name: str
    process: Process
    net: Net
    clock: SimClock
    entropy: SeededEntropy
    versions: dict[ApiKey, int]
    places: tuple[Place, ...]
    """The partitions that there are."""
    tell: Callable[[str, Event], None]
    """For the checkers."""
    note: Callable[[str, str], None]
    """For the trace."""
    mark: Callable[[], int]
    may_lose: Callable[[], bool]
    """Whether a power cut has taken what was acknowledged."""
    stalled_until: float = 0.0

    def caller(self, port: int = PORT) -> Caller:
        """A connection of the present process."""
        network = SimNetwork(self.net, self.process)
        return Caller(self.process, network, self.name, self.versions, port)

    def sleep(self, least: float, most: float) -> Promise[None]:
        """Some time between these."""
        return self.process.sleep(self.entropy.between(least, most))

    async def stall(self) -> bool:
        """Stand still if it is to; whether it was."""
        seconds = self.stalled_until - self.process.loop.now()
        if seconds <= 0:
            return False
        self.note(self.name, f"stands still for {seconds:.3f} s")
        await self.process.sleep(seconds)
        return True
