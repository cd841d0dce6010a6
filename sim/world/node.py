"""SimNode: the real `BrokerServer` over the simulated ports: it starts, dies, loses power and returns."""

from collections.abc import Callable, Sequence

from barnabas.broker.assembly import Environment
from barnabas.broker.server import BrokerServer
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.config.broker import BrokerConfig
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from sim.scenario import Scenario
from sim.world.caller import PORT
from sim.world.clock import SimClock
from sim.world.disk import SimDisk, Storage
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net, SimNetwork
from sim.world.process import Process
from sim.world.worker import SimWorker

_DATA = "/data"


class SimNode:
    """One broker's machine. `note` is for the trace."""

    def __init__(
        self,
        loop: SimLoop,
        net: Net,
        clock: SimClock,
        entropy: SeededEntropy,
        scenario: Scenario,
    ) -> None:
        self._loop = loop
        self._net = net
        self._clock = clock
        self._entropy = entropy
        self._config = BrokerConfig.load(
            {
                "node.id": 1,
                "log.dirs": _DATA,
                "listeners": f"PLAINTEXT://127.0.0.1:{PORT}",
                **scenario.properties,
            },
            release=scenario.release,
        )
        self._storage = Storage(entropy.stream("storage"), clock)
        self._starts = 0
        self._process: Process | None = None
        self._disk: SimDisk | None = None
        self._server: BrokerServer | None = None
        self.is_started = False

    @property
    def is_up(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.alive

    def start(self, on_started: Callable[[BrokerServer], None]) -> None:
        """A new process; recovery takes no virtual time.

        Raises:
            KafkaError: it does not start, which it always must.
        """
        assert not self.is_up, "it runs"
        self._starts += 1
        process = self._process = Process(self._loop, f"broker-{self._starts}")
        disk = self._disk = SimDisk(self._storage, process)
        entropy = self._entropy.stream(process.name)
        environment = Environment(
            self._clock,
            disk,
            SimNetwork(self._net, process),
            process,
            entropy,
            SimWorker(process, entropy, disk),
        )

        def open_registries(_directories: Sequence[str]) -> Registries:
            return Registries(EmbeddedRegistry(disk, f"{_DATA}/barnabas.registry"))

        server = self._server = BrokerServer(self._config, environment, open_registries)
        self.is_started = False

        def start() -> None:
            server.start()
            self.is_started = True
            on_started(server)

        process.run(start)

    def kill(self) -> None:
        """The process ends between two events; the machine goes on."""
        if self._process is not None:
            self._process.die()

    def kill_within(self, steps: int) -> None:
        """The process ends half way through the change to the disk after so many others."""
        if self._disk is not None:
            self._disk.steps_until_death = steps

    def power_cut(self) -> list[str]:
        """The process ends and what is not on stable storage is gone. Says what was."""
        self.kill()
        return self._storage.power_cut()

    def slow_down(self, times: float) -> None:
        """Have syncs of the disk take so many times longer from now on."""
        self._storage.slowness = times

    def stop(self) -> None:
        """Ask it to stop in order."""
        process, server = self._process, self._server
        if process is not None and server is not None and self.is_started:
            process.run(lambda: server.stop(process.die))
