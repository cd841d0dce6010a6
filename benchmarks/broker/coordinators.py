"""Groups and transactions: commits, transactions and rebalances.

Both brokers have 50 partitions of offsets and of transactions, as is Kafka's default, and no delay
before a group's first rebalance. Neither waits for the disk. Neither is held on a processor.
Each load is a turn of about a second of one broker and then of the other, several times a round: what
else the machine does then is in both sides' medians.
"""

from collections.abc import Callable, Sequence

from benchmarks.peers.asking import GROUPS, TRANSACTIONS, find_coordinator, wait_until
from benchmarks.peers.brokers import BOUNDED, Broker, create_topic, delete_topic
from benchmarks.peers.load_generator import LoadFailed, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "coordinators"
TOPIC = "bench-coordinators"
PRODUCERS = 16
TURNS = 3
# A just-in-time compiler needs about as many until its figures fall no more.
WARM_TURNS = 8
COMMITS, REBALANCES = 20_000, 100
# Records of 100 B in a transaction, and how many transactions a turn.
SIZES = {1: 1_200, 10: 1_200, 100: 1_000}
MEMBERS = 50

SPEED, TIME, CPU = 1.0, 1.0, 0.5

Figures = dict[str, list[float]]
"""By the name of a broker, one for each turn."""


class Loads:
    """The loads of one broker."""

    def __init__(self, plan: Plan, broker: Broker) -> None:
        self.plan = plan
        self.broker = broker

    def commits(self, groups: int) -> dict[str, float]:
        """Commits of one position each, five on their way on each of some connections."""
        return self.run("commits", self.plan.requests(COMMITS), groups=groups)

    def transactions(self, records: int) -> dict[str, float]:
        """Transactions of version 2, one after another by each of some producers."""
        count = self.plan.requests(SIZES[records])
        return self.run("transactions", count, records=records, value=100)

    def rebalances(self) -> dict[str, float]:
        """One more member comes to a group and leaves it, again and again."""
        return self.run("rebalances", self.plan.requests(REBALANCES), members=MEMBERS)

    def run(self, mode: str, requests: int, **settings: int) -> dict[str, float]:
        """A load of so many requests."""
        return run_load(
            mode, port=self.broker.port, pid=self.broker.pid, topic=TOPIC, partitions=PRODUCERS,
            connections=PRODUCERS, requests=requests, **settings,
        )  # fmt: skip

    def prepare(self) -> None:
        """Until all coordinators are there."""
        for kind in (GROUPS, TRANSACTIONS):
            find_coordinator(self.broker.port, kind)
        wait_until(self._serves_all)

    def _serves_all(self) -> bool:
        try:
            self.commits(1000)
            self.transactions(1)
        except LoadFailed:
            return False  # not all partitions of its topics are led yet
        return True


class Table:
    """The rows as they come to be, a figure for each turn."""

    def __init__(self, plan: Plan, group: str) -> None:
        self._plan = plan
        self._group = group
        self._rows: dict[str, tuple[str, float | None, bool, Figures]] = {}

    def add(
        self, broker: Broker, title: str, unit: str, figure: float, target: float | None,
        *, higher: bool = False,
    ) -> None:  # fmt: skip
        """One figure of one turn."""
        figures = self._rows.setdefault(title, (unit, target, higher, {}))[3]
        figures.setdefault(broker.name, []).append(figure)

    def add_many(self, broker: Broker, title: str, what: str, line: dict[str, float]) -> None:
        """How many of them in a second, and what one cost."""
        self.add(broker, title, f"{what}/s", line["per_second"], SPEED, higher=True)
        self.add(broker, f"{title}, CPU", "µs CPU", line["broker_us_per_request"], CPU)

    def results(self, ours: Broker, peer: Broker) -> list[Result]:
        """What is written down."""
        return [
            Result(
                self._group, title, unit, tuple(figures[ours.name]), tuple(figures[peer.name]),
                self._plan.peer_name, target, "higher" if higher else "lower",
            )
            for title, (unit, target, higher, figures) in self._rows.items()
        ]  # fmt: skip


Turn = Callable[[Loads, Table], None]
"""One load of one broker, into the table."""


def _commits(groups: int, which: str) -> Turn:
    def turn(loads: Loads, table: Table) -> None:
        table.add_many(loads.broker, f"commits of {which}", "commits", loads.commits(groups))

    return turn


def _transactions(records: int) -> Turn:
    def turn(loads: Loads, table: Table) -> None:
        title = f"transactions of {records} records of 100 B"
        table.add_many(loads.broker, title, "transactions", loads.transactions(records))

    return turn


def _rebalances(loads: Loads, table: Table) -> None:
    line = loads.rebalances()
    title = f"a classic group of {MEMBERS} takes in one more, or lets it go"
    table.add(loads.broker, f"{title}, p50", "ms", line["p50_us"] / 1000, TIME)
    cost = line["broker_us_per_request"] / 1000
    table.add(loads.broker, f"{title}, CPU", "ms CPU", cost, CPU)


LOADS: tuple[Turn, ...] = (
    _commits(1, "one group"),
    _commits(1000, "1,000 groups"),
    *(_transactions(records) for records in SIZES),
    # Turns of these differ most: ratios of nine of them were 0.42 to 0.55, of 27 they were 0.45 to 0.50.
    *[_rebalances] * 3,
)


def in_turns(
    plan: Plan, group: str, turns: Sequence[Turn], *, warm: int, times: int
) -> list[Result]:
    """The rows of a group: both brokers' turns, so many times in each round, and before to warm them."""
    ours, peer = brokers = plan.brokers()
    table = Table(plan, group)
    loads = [Loads(plan, broker) for broker in brokers]
    for each in loads:
        create_topic(each.broker, TOPIC, PRODUCERS, BOUNDED)
        each.prepare()
        for turn in [*turns] * warm:
            turn(each, Table(plan, group))
    for _ in range(plan.rounds * times):
        for turn in turns:
            for each in loads:
                turn(each, table)
    for broker in brokers:
        delete_topic(broker, TOPIC)
    return table.results(ours, peer)


def measure(plan: Plan) -> list[Result]:
    """The rows of this group, both brokers in turns."""
    return in_turns(plan, GROUP, LOADS, warm=WARM_TURNS, times=TURNS)
