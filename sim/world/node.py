"""SimNode: the real `BrokerServer` over the simulated ports: it starts, dies, loses power and returns."""

from collections.abc import Callable

from barnabas.broker.server.assembly import Environment
from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.config.broker import BrokerConfig
from sim.world.clock import SimClock
from sim.world.disk import SimDisk, Storage
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net, SimNetwork
from sim.world.process import Process
from sim.world.worker import SimWorker

DATA = "/data"
"""The log directory."""

OpenRegistries = Callable[[Process, SimDisk], Registries]


class SimNode:
    """One broker's machine. `note` is for the trace."""

    def __init__(
        self,
        loop: SimLoop,
        net: Net,
        clock: SimClock,
        entropy: SeededEntropy,
        config: BrokerConfig,
        open_registries: OpenRegistries,
    ) -> None:
        """`open_registries` is called at each start."""
        self._loop = loop
        self._net = net
        self._clock = clock
        self._entropy = entropy
        self._config = config
        self._open_registries = open_registries
        self.name = f"broker-{config.node_id}"
        self._storage = Storage(entropy.stream("storage"), clock)
        self._starts = 0
        self._process: Process | None = None
        self._disk: SimDisk | None = None
        self._server: BrokerServer | None = None
        self.is_started = False

    @property
    def process(self) -> Process | None:
        """Its last one; None before the first start."""
        return self._process

    @property
    def server(self) -> BrokerServer | None:
        """What runs and has started; None: nothing does."""
        return self._server if self.is_up and self.is_started else None

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
        name = f"{self.name}.{self._starts}"
        process = self._process = Process(self._loop, name, self.name)
        disk = self._disk = SimDisk(self._storage, process)
        entropy = self._entropy.stream(f"broker-{self._starts}")
        environment = Environment(
            self._clock,
            disk,
            SimNetwork(self._net, process),
            process,
            entropy,
            SimWorker(process, entropy, disk),
        )

        server = self._server = BrokerServer(
            self._config, environment, lambda _paths: self._open_registries(process, disk)
        )
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

    def kill_within(self, steps: int | None) -> None:
        """The process ends half way through the change to the disk after so many others; None: not."""
        if self._disk is not None:
            self._disk.steps_until_death = steps

    def power_cut(self) -> list[str]:
        """The process ends and what is not on stable storage is gone. Says what was."""
        self.kill()
        return self._storage.power_cut()

    def slow_down(self, times: float) -> None:
        """Have syncs of the disk take so many times longer from now on."""
        self._storage.slowness = times

    def fill_disk(self, *, is_full: bool) -> None:
        """Have no room on the disk from now on, or have some again."""
        self._storage.is_full = is_full

    def stop(self) -> None:
        """Ask it to stop in order."""
        process, server = self._process, self._server
        if process is not None and server is not None and self.is_started:
            process.run(lambda: server.stop(process.die))
