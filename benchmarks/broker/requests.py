"""Requests one by one: what each costs the broker, beside the floor and beside Kafka, in turns.

Bulk and small Produce, one message there and back, Fetch out of the page cache, and what a group asks
for again and again. Broker and load are held on one processor, which repeats best.
"""

from dataclasses import dataclass
from functools import partial

from benchmarks.peers.asking import GROUPS, find_coordinator, wait_until
from benchmarks.peers.brokers import BOUNDED, UNBOUNDED, Broker, create_topic, delete_topic
from benchmarks.peers.floor import Floor
from benchmarks.peers.load_generator import Batch, LoadFailed, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "requests"
IN, OUT = "bench-in", "bench-out"
LOG_BYTES = 800_000_000
LOGGED = Batch.filling(65536, 1024)
TURNS = 3
"""Of each load in a round: three rounds are nine turns."""

PER_GB, PER_REQUEST = "broker_cpu_per_gb", "broker_us_per_request"


@dataclass(frozen=True, slots=True)
class Figure:
    """What one column of a load's line tells: its title, and the goals beside the floor and Kafka."""

    title: str
    column: str
    unit: str
    of_floor: float | None = None
    of_kafka: float | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """One load: its mode, how many requests a turn, and the generator's settings."""

    mode: str
    requests: int
    settings: dict[str, int | str]
    figures: tuple[Figure, ...]
    on_floor: bool = True


def _produce(size: int, value: int, requests: int, figure: Figure) -> Load:
    records = Batch.filling(size, value).records
    shape: dict[str, int | str] = {"topic": IN, "value": value, "records": records}
    return Load("produce", requests, shape, (figure,))


def _fetch(title: str, size: int, requests: int, of_floor: float, of_kafka: float) -> Load:
    shape: dict[str, int | str] = {"topic": OUT, "bytes": size, "copy": 1}
    shape |= {"value": LOGGED.value, "records": LOGGED.records}
    figure = Figure(f"fetch, answers of {title}", PER_GB, "CPU-s/GB", of_floor, of_kafka)
    return Load("fetch", requests, shape, (figure,))


LOADS = (
    _produce(
        65536, 1024, 6_000,
        Figure("produce, 64 KB of 1 KiB records", PER_GB, "CPU-s/GB", 1.15, 0.33),
    ),
    _produce(
        65536, 100, 6_000,
        Figure("produce, 64 KB of 100 B records", PER_GB, "CPU-s/GB", 1.15, 0.33),
    ),
    _produce(
        1_000_000, 1024, 500,
        Figure("produce, 1 MB of 1 KiB records", PER_GB, "CPU-s/GB", 1.15, 0.45),
    ),
    _produce(
        1024, 950, 20_000,
        Figure("produce, 1 KiB, five in flight", PER_REQUEST, "µs CPU", 1.5, 0.12),
    ),
    Load(
        "ping", 10_000, {"topic": IN, "value": 100, "records": 1},
        (
            Figure("one message there and back, p50", "p50_us", "µs", 1.5, 0.25),
            Figure("one message there and back, CPU", PER_REQUEST, "µs CPU", 1.5, 0.15),
        ),
    ),
    _fetch("1 MB", 1 << 20, 1_000, 1.3, 0.3),
    _fetch("64 KB", 1 << 16, 8_000, 1.5, 0.2),
    Load(
        "idle", 10_000, {"topic": IN, "members": 1, "groups": 1, "wait": 0},
        (Figure("heartbeat, one behind the other", PER_REQUEST, "µs CPU"),), on_floor=False,
    ),
    Load(
        "commits", 10_000, {"topic": IN, "inflight": 1},
        (Figure("offset commit, one behind the other", PER_REQUEST, "µs CPU"),), on_floor=False,
    ),
)  # fmt: skip


class Turns:
    """What was measured so far: a figure of each side for each turn."""

    def __init__(self) -> None:
        self._figures: dict[tuple[Figure, str], list[float]] = {}

    def add(self, load: Load, side: Broker, line: dict[str, float]) -> None:
        """The figures of one turn."""
        for figure in load.figures:
            self._figures.setdefault((figure, side.name), []).append(line[figure.column])

    def results(self, peers: dict[str, str]) -> list[Result]:
        """Rows of ours beside each peer that took a turn; `peers` says what each is called."""
        rows = []
        for figure in (figure for load in LOADS for figure in load.figures):
            ours = tuple(self._figures.get((figure, "barnabas"), ()))
            goals = {"floor": figure.of_floor}
            beside = [
                Result(
                    GROUP, figure.title, figure.unit, ours, tuple(found), title,
                    goals.get(name, figure.of_kafka),
                )
                for name, title in peers.items()
                if (found := self._figures.get((figure, name)))
            ]  # fmt: skip
            rows += beside or [Result(GROUP, figure.title, figure.unit, ours)] * bool(ours)
        return rows


def measure(plan: Plan, loads: tuple[Load, ...] = LOADS) -> list[Result]:
    """The rows of this group, all sides in turns; an interrupted run keeps the turns it has had."""
    sides = plan.sides()
    batches = max(200, int(LOG_BYTES * plan.scale) // LOGGED.size)
    turns = Turns()
    plan.unfinished = partial(turns.results, plan.peer_names())
    for side in sides:
        _prepare(side, batches)
    rounds = plan.rounds * TURNS
    for number in range(rounds + 1):  # the first of them only warms
        for load in loads:
            plan.progress(f"{GROUP}: turn {number} of {rounds}, {load.figures[0].title}")
            for side in sides:
                if load.on_floor or not isinstance(side, Floor):
                    line = _run(plan, load, side, batches)
                    if number:
                        turns.add(load, side, line)
    for side in sides:
        for topic in (IN, OUT):
            delete_topic(side, topic)
    return turns.results(plan.peer_names())


def _prepare(side: Broker, batches: int) -> None:
    create_topic(side, IN, 1, BOUNDED)
    create_topic(side, OUT, 1, UNBOUNDED)
    shape = {"port": side.port, "value": LOGGED.value, "records": LOGGED.records}
    run_load("produce", topic=OUT, requests=batches, **shape)
    if not isinstance(side, Floor):
        find_coordinator(side.port, GROUPS)
        wait_until(partial(_commits, side.port))


def _commits(port: int) -> bool:
    """Whether the coordinator of the load's group takes a commit."""
    try:
        run_load("commits", port=port, topic=IN, requests=10)
    except LoadFailed:
        return False
    return True


def _run(plan: Plan, load: Load, side: Broker, batches: int) -> dict[str, float]:
    settings = {"port": side.port, "pid": side.pid, **load.settings}
    if load.mode == "fetch":
        settings["batches"] = batches
    with plan.pinning(side):
        return run_load(load.mode, plan.cpu(), requests=plan.requests(load.requests), **settings)
