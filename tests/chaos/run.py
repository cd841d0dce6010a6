"""One run: a cluster, clients, faults, and the verdict."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.chaos.checker import complaints
from tests.chaos.clients import (
    LISTS,
    PLAIN,
    Client,
    PlainWriter,
    Reader,
    TransactionalWriter,
    read_all,
)
from tests.chaos.cluster import ChaosCluster
from tests.chaos.faults import Faults
from tests.chaos.history import History, Logs, Outcome
from tests.chaos.our_writer import OurTransactionalWriter

PARTITIONS = 4
_PLACES = [(topic, each) for topic in (PLAIN, LISTS) for each in range(PARTITIONS)]
_END_SECONDS = 180.0
_MOST_LINES = 100


class Verdict(NamedTuple):
    """What a run found, and how much it tried."""

    complaints: list[str]
    faults: int
    acknowledged: int
    committed: int
    aborted: int
    unknown: int
    read: int

    def __str__(self) -> str:
        return (
            f"{self.faults} faults; {self.acknowledged} records acknowledged; transactions: "
            f"{self.committed} committed, {self.aborted} aborted, {self.unknown} unknown; "
            f"{self.read} records read; {len(self.complaints)} complaints"
        )


def run(
    seconds: float,
    seed: int,
    *,
    brokers: int = 3,
    kafkas: Sequence[int] = (),
    unsafe: bool = False,
    report: Callable[[str], None] = print,
) -> Verdict:
    """Run for so long, then heal everything and compare. The cluster's folder stays if there are complaints.

    `unsafe`: with acks=1, so that what was acknowledged may be lost, which is to be found.

    Raises:
        AssertionError: a broker does not start again, or clients are not answered after all is healed.
    """
    history = History()
    with ChaosCluster(brokers, kafkas) as cluster:
        cluster.create({PLAIN: PARTITIONS, LISTS: PARTITIONS})
        clients = _clients(history, cluster.servers, unsafe=unsafe)
        for client in clients:
            client.start()
        faults = Faults(cluster, seed, report)
        faults.make(seconds)
        try:
            for client in clients:
                client.finish(_END_SECONDS)
            cluster.settle(_PLACES)
            logs = Logs(
                read_all(cluster.servers, _PLACES, committed=False),
                read_all(cluster.servers, _PLACES, committed=True),
            )
        except AssertionError as error:
            error.add_note(cluster.tails())
            raise
        for line in history.ended:
            report(f"a producer ended: {line}")
        found = [*complaints(history, logs), *cluster.differing(_PLACES)]
        for line in found[:_MOST_LINES]:
            report(line)
        if found:
            report(
                f"logs and data: {[str(one.process.child.log) for one in cluster.brokers.values()]}"
            )
    if not found:
        cluster.remove()
    outcomes = [one.outcome for one in history.transactions]
    return Verdict(
        found,
        faults.made,
        len(history.sent),
        outcomes.count(Outcome.COMMITTED),
        outcomes.count(Outcome.ABORTED),
        outcomes.count(Outcome.UNKNOWN),
        sum(len(one.records) for one in history.runs),
    )


def _clients(history: History, servers: str, *, unsafe: bool) -> list[Client]:
    """Writers finish first: their last records are to be read, too."""
    return [
        PlainWriter("p1", history, servers, PARTITIONS, safe=not unsafe),
        PlainWriter("p2", history, servers, PARTITIONS, safe=not unsafe),
        TransactionalWriter("t1", history, servers, PARTITIONS),
        TransactionalWriter("t2", history, servers, PARTITIONS),
        TransactionalWriter("t3", history, servers, PARTITIONS),
        OurTransactionalWriter("o1", history, servers, PARTITIONS),
        OurTransactionalWriter("o2", history, servers, PARTITIONS),
        Reader("committed", history, servers, _PLACES, committed=True),
        Reader("uncommitted", history, servers, _PLACES, committed=False),
    ]
