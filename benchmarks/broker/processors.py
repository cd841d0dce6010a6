"""Two brokers of a cluster on two processors beside one of them on one, produce without other replicas.

One broker is one process with one thread that works, so a machine of many processors wants a broker for
each. Every broker shares its processor with its own load generator, so that twice the processors have
twice the work. `ONLY=processors python -m benchmarks` measures this alone.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.peers.brokers import BOUNDED
from benchmarks.peers.clusters import BenchCluster, bench_cluster
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.plan import Plan, hold
from benchmarks.report.result import Result
from tests.interop.peers.missing import PeerMissing

GROUP = "processors"
NODES = (1, 2)
VALUE, REQUEST_BYTES, REQUESTS = 1024, 65_536, 3_000
TURNS, PAUSE_S = 9, 1.0
"""Short turns of each round, with time to sync what is written: the processors decide, not the disk."""
_BATCH = Batch.filling(REQUEST_BYTES, VALUE)


def bytes_per_second(cluster: BenchCluster, nodes: tuple[int, ...], plan: Plan) -> float:
    """Return the bytes a second that these brokers take together, until the last load ends."""
    requests = plan.requests(REQUESTS)

    def load(node: int) -> None:
        run_load(
            "produce", node - 1, port=cluster.brokers[node].port, topic=f"of-{node}", value=VALUE,
            records=_BATCH.records, requests=requests, inflight=5, acks=1,
        )  # fmt: skip

    begun = time.monotonic()
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(load, nodes))
    return len(nodes) * requests * _BATCH.size / (time.monotonic() - begun)


def measure(plan: Plan) -> list[Result]:
    """The rows of this group.

    Raises:
        PeerMissing: the machine has one processor.
    """
    if (os.cpu_count() or 1) < len(NODES):
        raise PeerMissing("one processor is all there is here")
    one: list[float] = []
    two: list[float] = []
    with bench_cluster(ours=True, nodes=NODES) as cluster:
        for node in NODES:
            cluster.create(f"of-{node}", [[node]], **BOUNDED)
            hold(cluster.brokers[node].child.pid, str(node - 1))
        turns = plan.rounds * TURNS
        for number in range(turns + 1):
            figures = []
            for some in (NODES[:1], NODES):
                time.sleep(PAUSE_S)
                figures.append(bytes_per_second(cluster, some, plan) / 1e6)
            plan.progress(f"{GROUP}: turn {number} of {turns}: {figures} MB/s")
            if number:  # the first of them only warms
                one.append(figures[0])
                two.append(figures[1])
    what = "two brokers on two processors, acks=1, 64 KB of 1 KiB records"
    # In pairs: one machine has slow minutes and quick ones, and both of a turn are of the same minute.
    ratios = tuple(both / alone for both, alone in zip(two, one, strict=True))
    return [
        Result(GROUP, what, "MB/s", tuple(two), tuple(one), "one of them on one processor"),
        Result(GROUP, f"{what}: of one on one, turn by turn", "times", ratios, target=1.7, better="higher"),
    ]  # fmt: skip
