"""User instructions a request, counted by callgrind: figures that another load hardly moves.

What the system does for a request is not in them. Broker and floor run under valgrind, some fifty times
slower, so that of five requests on their way all five are there at each look.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.peers.brokers import POLICY, UNBOUNDED, Broker, create_topic
from benchmarks.peers.floor import Floor
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.peers.metered import MeteredBroker
from benchmarks.peers.one_member import OneMember
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.missing import PeerMissing

GROUP = "instructions"
TOPIC = "bench-counted"
UNIT = "k instructions"
BATCH = Batch.filling(65536, 1024)
WARM_REQUESTS = 200
# The broker's own jobs would be counted; under valgrind many of them fall into a load.
PROPERTIES = {**POLICY, "log.retention.check.interval.ms": "300000"}


@dataclass(frozen=True, slots=True)
class Load:
    """One row: its load and the most that a request may take of ours, in thousands."""

    title: str
    mode: str
    requests: int
    settings: dict[str, int]
    target: float | None = None


SHAPE = {"value": BATCH.value, "records": BATCH.records}
LOADS = (
    Load("produce, 64 KB of 1 KiB records", "produce", 600, SHAPE, 40),
    Load("produce, 1 KiB, five in flight", "produce", 3_000, {"value": 950, "records": 1}, 8),
    Load("one message there and back", "ping", 2_000, {"value": 100, "records": 1}, 30),
)
MEMBER = Load("produce in a cluster, one replica", "produce", 600, SHAPE)
MEMBER_TARGET = 1.03
"""Of what the same request takes of a broker that is alone."""
METERED_TARGET = 1.01
"""Of what a request takes of a broker without metrics."""
FETCH = Load("fetch, answers of 64 KB", "fetch", 500, {**SHAPE, "bytes": 1 << 16, "copy": 1})


class Counter:
    """Counts the instructions of a process that runs under callgrind."""

    def __init__(self, pid: int, output: Path) -> None:
        self.pid = pid
        self.output = output
        self._control("--instr=on")

    def count(self, work: Callable[[], object]) -> int:
        """Instructions of the process, all threads, while `work` is done."""
        self._control("--zero")
        work()
        self._control("--dump")
        dumps = self.output.parent.glob(f"{self.output.name}.*")
        newest = max(dumps, key=lambda path: int(path.suffix[1:]))
        return summary(newest.read_text())

    def _control(self, command: str) -> None:
        subprocess.run(
            ["callgrind_control", command, str(self.pid)], check=True, capture_output=True
        )


def summary(dump: str) -> int:
    """The total of a dump of callgrind's.

    Raises:
        ValueError: it has none.
    """
    for line in dump.splitlines():
        if line.startswith("summary:"):
            return int(line.split()[1])
    raise ValueError("callgrind wrote no line `summary:`")


def _ours(prefix: tuple[str, ...]) -> AbstractContextManager[Broker]:
    return OurBroker(properties=PROPERTIES, prefix=prefix)


def _member(prefix: tuple[str, ...]) -> AbstractContextManager[Broker]:
    return OneMember(properties=PROPERTIES, prefix=prefix)


def _metered(prefix: tuple[str, ...]) -> AbstractContextManager[Broker]:
    return MeteredBroker(properties=PROPERTIES, prefix=prefix)


Start = Callable[[tuple[str, ...]], AbstractContextManager[Broker]]
SIDES: tuple[Start, ...] = (_ours, Floor, _member, _metered)
"""What starts ours, the floor, ours in a cluster and with metrics, behind the prefix of a command."""


@contextmanager
def counted(number: int) -> Iterator[tuple[Broker, Counter]]:
    """One of the sides, started under callgrind, and its counter."""
    if shutil.which("valgrind") is None:
        raise PeerMissing("instructions are counted by valgrind: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="instructions-") as folder:
        output = Path(folder) / "counted"
        valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet")
        with SIDES[number]((*valgrind, f"--callgrind-out-file={output}")) as broker:
            yield broker, Counter(broker.pid, output)


def measure(plan: Plan) -> list[Result]:
    """The rows of this group: ours, and ours beside the floor."""
    figures: dict[str, dict[str, list[float]]] = {}
    for side in (0, 1):
        with counted(side) as (broker, counter):
            create_topic(broker, TOPIC, 1, UNBOUNDED)
            for load, number in ((load, n) for load in LOADS for n in range(plan.rounds)):
                plan.progress(f"{GROUP}: {broker.name}, {load.title}, turn {number + 1}")
                found = _count(plan, broker, counter, load, {})
                figures.setdefault(load.title, {}).setdefault(broker.name, []).append(found)
            figures.setdefault(FETCH.title, {})[broker.name] = [_fetched(plan, broker, counter)]
    rows = []
    for load in (*LOADS, FETCH):
        ours, floor = (tuple(figures[load.title][name]) for name in (OurBroker.name, Floor.name))
        rows.append(Result(GROUP, load.title, UNIT, ours, floor, Floor.name))
        rows.append(Result(GROUP, load.title, UNIT, ours, target=load.target))
    alone = median(figures[LOADS[0].title][OurBroker.name])
    rows.append(Result(GROUP, MEMBER.title, UNIT, _of_member(plan), target=MEMBER_TARGET * alone))
    unmetered = {title: median(sides[OurBroker.name]) for title, sides in figures.items()}
    return [*rows, *_with_metrics(plan, unmetered)]


def _of_member(plan: Plan) -> tuple[float, ...]:
    """What a request takes of a broker in a cluster."""
    with counted(2) as (broker, counter):
        create_topic(broker, TOPIC, 1, UNBOUNDED)
        return tuple(_count(plan, broker, counter, MEMBER, {}) for _ in range(plan.rounds))


def _with_metrics(plan: Plan, without: dict[str, float]) -> Iterator[Result]:
    """What requests take of a broker that counts them."""
    with counted(3) as (broker, counter):
        create_topic(broker, TOPIC, 1, UNBOUNDED)
        for load in LOADS:
            plan.progress(f"{GROUP}: {broker.name}, {load.title}")
            found = tuple(_count(plan, broker, counter, load, {}) for _ in range(plan.rounds))
            target = METERED_TARGET * without[load.title]
            yield Result(GROUP, f"{load.title}, with metrics", UNIT, found, target=target)
        fetched = (_fetched(plan, broker, counter),)
        yield Result(GROUP, f"{FETCH.title}, with metrics", UNIT, fetched)


def _fetched(plan: Plan, broker: Broker, counter: Counter) -> float:
    """Thousands of instructions of a Fetch of what was stored for it."""
    create_topic(broker, "out", 1, UNBOUNDED)
    batches = plan.requests(FETCH.requests)
    run_load("produce", port=broker.port, topic="out", requests=batches, **SHAPE)
    return _count(plan, broker, counter, FETCH, {"topic": "out", "batches": batches})


def _count(
    plan: Plan, broker: Broker, counter: Counter, load: Load, more: dict[str, int | str]
) -> float:
    """Thousands of instructions a request; the broker has seen some like it before."""
    requests = plan.requests(load.requests)
    settings = {"port": broker.port, "topic": TOPIC, **load.settings, **more}
    run_load(load.mode, requests=WARM_REQUESTS, **settings)
    work = partial(run_load, load.mode, requests=requests, **settings)
    return counter.count(work) / requests / 1000
