"""What one run of the benchmarks is to do: how often, how much, beside whom."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.peers.brokers import BenchKafka, BenchOurs, Broker, warm_up
from benchmarks.peers.c_program import CompileFailed
from benchmarks.peers.floor import Floor
from benchmarks.report.result import Result
from tests.interop.peers.missing import PeerMissing

CPU = 0


def _nothing() -> list[Result]:
    return []


@dataclass(slots=True)
class Plan:
    """One run. `scale` shortens every load for a trial; figures of a trial mean little."""

    rounds: int = 3
    scale: float = 1.0
    peer: Callable[[], AbstractContextManager[Broker]] = BenchKafka
    peer_name: str = "Kafka 4.3.0"
    floor: bool = True
    notes: list[str] = field(default_factory=list)
    unfinished: Callable[[], list[Result]] = _nothing
    """The rows that the group being measured has so far, for a run that is interrupted."""
    _stack: ExitStack = field(default_factory=ExitStack)
    _sides: dict[str, Broker] | None = None

    def requests(self, count: int) -> int:
        """How many of `count` requests to send."""
        return max(50, int(count * self.scale))

    def cpu(self) -> int:
        """The processor that load generators are pinned to."""
        return CPU

    def progress(self, text: str) -> None:
        """Say on standard error how far the run is: one line, the same one on a terminal."""
        end = "\033[K\r" if sys.stderr.isatty() else "\n"
        print(text, end=end, file=sys.stderr, flush=True)

    def sides(self) -> list[Broker]:
        """Ours, the floor and the peer, as far as they run here: started and warmed once a run."""
        if self._sides is None:
            self._sides = {}
            self._start("ours", BenchOurs)
            if self.floor:
                self._start("floor", Floor)
            self._start("peer", self.peer)
        return list(self._sides.values())

    def peer_names(self) -> dict[str, str]:
        """What the sides but ours are called in tables, by their own names."""
        sides = self._sides or {}
        return {
            side.name: self.peer_name if role == "peer" else side.name
            for role, side in sides.items()
            if role != "ours"
        }

    def brokers(self) -> tuple[Broker, Broker]:
        """Ours and its peer.

        Raises:
            PeerMissing: the peer does not run here.
        """
        self.sides()
        assert self._sides is not None
        if "peer" not in self._sides:
            raise PeerMissing(f"{self.peer_name} does not run here")
        return self._sides["ours"], self._sides["peer"]

    def _start(self, role: str, make: Callable[[], AbstractContextManager[Broker]]) -> None:
        assert self._sides is not None
        try:
            side = self._stack.enter_context(make())
        except (CompileFailed, PeerMissing) as error:
            self.notes.append(f"without {self.peer_name if role == 'peer' else role}: {error}")
            print(self.notes[-1], file=sys.stderr, flush=True)
            return
        if role != "floor":
            self.progress(f"warming {side.name}")
            warm_up(side, self.scale)
        self._sides[role] = side

    @contextmanager
    def pinning(self, broker: Broker) -> Iterator[None]:
        """Hold all threads of the broker on the generator's processor."""
        hold(broker.pid, str(CPU))
        try:
            yield
        finally:
            hold(broker.pid, f"0-{(os.cpu_count() or 1) - 1}")

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()
        self._sides = None


def hold(pid: int, processors: str) -> None:
    """Keep all threads of a process on these processors, named as `taskset -c` names them."""
    subprocess.run(
        ["taskset", "-a", "-p", "-c", processors, str(pid)], stdout=subprocess.DEVNULL, check=True
    )
