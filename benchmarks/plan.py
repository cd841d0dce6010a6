"""What one run of the benchmarks is to do: how often, how much, on which processors."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.brokers import BenchKafka, BenchOurs, Broker, warm_up

CPU = 0


@dataclass(slots=True)
class Plan:
    """One run. `scale` shortens every load for a trial; figures of a trial mean little."""

    rounds: int = 3
    scale: float = 1.0
    pinned: bool = True
    peer: Callable[[], AbstractContextManager[Broker]] = BenchKafka
    peer_name: str = "Kafka 4.3.0"
    notes: list[str] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)
    _brokers: tuple[Broker, Broker] | None = None

    def requests(self, count: int) -> int:
        """How many of `count` requests to send."""
        return max(50, int(count * self.scale))

    def cpu(self) -> int | None:
        """The processor that load generators are pinned to."""
        return CPU if self.pinned else None

    def brokers(self) -> tuple[Broker, Broker]:
        """Ours and its peer: started and warmed once a run."""
        if self._brokers is None:
            ours = self._stack.enter_context(BenchOurs())
            found = ours, self._stack.enter_context(self.peer())
            for broker in found:
                warm_up(broker, self.scale)
            self._brokers = found
        return self._brokers

    @contextmanager
    def pinning(self, broker: Broker) -> Iterator[None]:
        """Hold all threads of the broker on the generator's processor, if this run is pinned."""
        if self.pinned:
            _hold(broker.pid, str(CPU))
        try:
            yield
        finally:
            if self.pinned:
                _hold(broker.pid, f"0-{(os.cpu_count() or 1) - 1}")

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()
        self._brokers = None


def _hold(pid: int, processors: str) -> None:
    subprocess.run(
        ["taskset", "-a", "-p", "-c", processors, str(pid)], stdout=subprocess.DEVNULL, check=True
    )
