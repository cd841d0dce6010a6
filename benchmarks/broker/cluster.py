"""Three brokers of ours beside three of Kafka 3.9: produce with acks=all, catch-up, failover, a new controller.

CPU is that of all three broker processes; ZooKeeper's is not in it. `ONLY=cluster python -m benchmarks`
measures this alone. The sides take turns; both are up all the time.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from statistics import median

from confluent_kafka.admin import AdminClient

from benchmarks.peers.brokers import BenchOurs, cpu_seconds, create_topic
from benchmarks.peers.clusters import NODES, BenchCluster, bench_cluster
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "cluster"
PEER = "Kafka 3.9.2"
VALUE, REQUEST_BYTES, GIGABYTE = 1024, 65_536, 1_000_000_000
PINGS = 2_000
FAILOVER_PARTITIONS = 1_000
CONTROLLED_PARTITIONS = 10_000
SECONDS = 300.0
_REPLICAS = [[1, 2, 3]]
_SETTLED_SECONDS = 15
"""Longer than a follower that has fallen behind counts as in sync (`replica.lag.time.max.ms`: 10 s)."""
_WARM = 0.4
"""GB at least, for the just-in-time compiler."""
Figures = dict[str, float]


def send(port: int, topic: str, size: int, acks: int = -1) -> int:
    """Send about so many bytes in requests of 64 KB, five of them in flight; the bytes that were sent."""
    batch = Batch.filling(REQUEST_BYTES, VALUE)
    requests = max(1, size // batch.size)
    run_load(
        "produce", port=port, topic=topic, value=VALUE, records=batch.records, requests=requests,
        inflight=5, acks=acks,
    )  # fmt: skip
    return requests * batch.size


def wait_until(happened: Callable[[], bool], what: str) -> None:
    """Look every 10 ms.

    Raises:
        TimeoutError: it takes too long.
    """
    deadline = time.monotonic() + SECONDS
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.01)


def replicated(cluster: BenchCluster, name: str, plan: Plan) -> Figures:
    """Produce with acks=all to one partition of three replicas."""
    cluster.create(name, _REPLICAS)
    cluster.wait_for_isr(name, *NODES)
    size = int(plan.scale * GIGABYTE)
    before = cluster.cpu()
    sent = send(cluster.brokers[1].port, name, size)
    cpu = (cluster.cpu() - before) / sent * GIGABYTE
    ping = run_load(
        "ping", port=cluster.brokers[1].port, topic=name, value=VALUE, records=1, acks=-1,
        requests=plan.requests(PINGS),
    )  # fmt: skip
    cluster.delete(name)
    return {
        "acks=all, 64 KB of 1 KiB records, CPU": cpu,
        "acks=all, one record of 1 KiB, p50": ping["p50_us"] / 1000,
        "acks=all, one record of 1 KiB, p99": ping["p99_us"] / 1000,
    }


def catch_up(cluster: BenchCluster, name: str, plan: Plan) -> Figures:
    """CPU of a follower that was away while a GB was written, without that of a start with nothing to copy."""
    follower = cluster.brokers[3]
    cluster.create(name, _REPLICAS)
    cluster.wait_for_isr(name, *NODES)
    size = int(plan.scale * GIGABYTE)

    def away(size: int) -> float:
        follower.stop()
        cluster.wait_for_isr(name, 1, 2)
        if size:
            send(cluster.brokers[1].port, name, size)
        follower.start()
        cluster.wait_for_isr(name, *NODES)
        return cluster.cpu(3)

    idle, busy = away(0), away(size)
    cluster.delete(name)
    return {"a follower catches up, its CPU": (busy - idle) / size * GIGABYTE}


def failover(cluster: BenchCluster, name: str, plan: Plan) -> Figures:
    """A broker that leads 1,000 partitions is killed: until Metadata names other leaders for all."""
    count = plan.requests(FAILOVER_PARTITIONS)
    cluster.create(name, [[1, 2, 3]] * count)
    admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{cluster.brokers[2].port}"})

    def leaders(in_sync: int) -> list[int]:
        """Those of partitions with so many replicas in sync, or more."""
        partitions = admin.list_topics(name, timeout=SECONDS).topics[name].partitions
        return [one.leader for one in partitions.values() if len(one.isrs) >= in_sync]

    for _ in range(2):  # A follower out of sync would leave its partition without a leader.
        wait_until(lambda: leaders(3) == [1] * count, "no leaders, or not all in sync")
        time.sleep(_SETTLED_SECONDS)
    before, begun = cluster.cpu(2, 3), time.monotonic()
    cluster.brokers[1].kill()
    cluster.client.delete("/brokers/ids/1")  # As if its session had ended at once.
    wait_until(lambda: not {1, -1} & {*leaders(0)}, "no other leaders")
    seconds, cpu = time.monotonic() - begun, cluster.cpu(2, 3) - before
    cluster.brokers[1].start()
    cluster.wait_for_node("/brokers/ids/1")
    cluster.delete(name)
    return {
        f"failover of {FAILOVER_PARTITIONS:,} partitions, from the end of the session on": seconds,
        f"failover of {FAILOVER_PARTITIONS:,} partitions, CPU of those that stay": cpu,
    }


def new_controller(cluster: BenchCluster, name: str, plan: Plan) -> Figures:
    """The controller of 10,000 partitions is killed: until the two brokers that stay name another one."""
    count = plan.requests(CONTROLLED_PARTITIONS)
    few = f"{name}-few"
    """A topic whose description is short: what is asked while the time runs."""
    cluster.create(name, [[1], [3]] * (count // 2))
    cluster.create(few, [[1]])
    admins = [
        AdminClient({"bootstrap.servers": f"127.0.0.1:{cluster.brokers[one].port}"})
        for one in (1, 3)
    ]

    def named() -> set[int]:
        return {one.list_topics(few, timeout=SECONDS).controller_id for one in admins}

    def leaders() -> set[int]:
        partitions = admins[0].list_topics(name, timeout=SECONDS).topics[name].partitions
        return {one.leader for one in partitions.values()}

    wait_until(lambda: leaders() == {1, 3}, "no leaders")
    (old,) = named()
    before, begun = cluster.cpu(1, 3), time.monotonic()
    cluster.brokers[old].kill()
    for node in ("/controller", f"/brokers/ids/{old}"):
        cluster.client.delete(node)  # As if its session had ended at once.
    wait_until(lambda: not named() & {old, -1}, "no other controller")
    seconds, cpu = time.monotonic() - begun, cluster.cpu(1, 3) - before
    cluster.brokers[old].start()
    cluster.wait_for_node(f"/brokers/ids/{old}")
    for one in (name, few):
        cluster.delete(one)
    return {
        f"a new controller of {CONTROLLED_PARTITIONS:,} partitions, until brokers name it": seconds,
        f"a new controller of {CONTROLLED_PARTITIONS:,} partitions, CPU of those that stay": cpu,
    }


UNITS: Mapping[str, tuple[str, float | None]] = {
    "acks=all, 64 KB of 1 KiB records, CPU": ("CPU-s/GB", 0.35),
    "acks=all, one record of 1 KiB, p50": ("ms", 1.0),
    "acks=all, one record of 1 KiB, p99": ("ms", 1.0),
    "a follower catches up, its CPU": ("CPU-s/GB", 0.5),
    f"failover of {FAILOVER_PARTITIONS:,} partitions, from the end of the session on": ("s", 1.0),
    f"failover of {FAILOVER_PARTITIONS:,} partitions, CPU of those that stay": ("CPU-s", None),
    f"a new controller of {CONTROLLED_PARTITIONS:,} partitions, until brokers name it": ("s", 1.0),
    f"a new controller of {CONTROLLED_PARTITIONS:,} partitions, CPU of those that stay": (
        "CPU-s",
        None,
    ),
}
"""Unit and goal, as a ratio to Kafka, of each row."""


def alone_and_member(cluster: BenchCluster, plan: Plan) -> Result:
    """Produce to a partition of one replica, in a cluster and at a broker that is alone, in turns."""
    size = int(plan.scale * GIGABYTE)
    ours: list[float] = []
    alone: list[float] = []
    with BenchOurs() as single:
        for number in range(plan.rounds):
            name = f"single-{number}"
            cluster.create(name, [[1]])
            before = cluster.cpu(1)
            sent = send(cluster.brokers[1].port, name, size, acks=1)
            ours.append((cluster.cpu(1) - before) / sent * GIGABYTE)
            cluster.delete(name)
            create_topic(single, name, 1, {})
            before = cpu_seconds(single.pid)
            sent = send(single.port, name, size, acks=1)
            alone.append((cpu_seconds(single.pid) - before) / sent * GIGABYTE)
    what = "acks=1, one replica in a cluster, 64 KB of 1 KiB records, CPU"
    return Result(
        GROUP, what, "CPU-s/GB", tuple(ours), tuple(alone), "the same broker alone", target=1.03
    )


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    rounds: dict[bool, list[Figures]] = {True: [], False: []}
    with ExitStack() as stack:
        sides = {ours: stack.enter_context(bench_cluster(ours=ours)) for ours in (True, False)}
        for cluster in sides.values():
            cluster.create("warm", _REPLICAS)
            cluster.wait_for_isr("warm", *NODES)
            send(cluster.brokers[1].port, "warm", int(max(plan.scale, _WARM) * GIGABYTE))
            cluster.delete("warm")
        single = alone_and_member(sides[True], plan)
        plan.progress(f"{single.measure}: {single.ours}, alone {single.peer}")
        for number in range(plan.rounds):
            for ours, cluster in sides.items():
                rounds[ours].append(
                    replicated(cluster, f"all-{number}", plan)
                    | catch_up(cluster, f"late-{number}", plan)
                    | failover(cluster, f"many-{number}", plan)
                    | new_controller(cluster, f"controlled-{number}", plan)
                )
                plan.progress(f"{'ours' if ours else PEER}: {rounds[ours][number]}")
    return [*_rows(rounds[True], rounds[False]), single]


def _rows(ours: list[Figures], theirs: list[Figures]) -> list[Result]:
    rows = []
    for measured, (unit, target) in UNITS.items():
        our, their = (tuple(one[measured] for one in side) for side in (ours, theirs))
        assert median(their) > 0, f"{measured}: Kafka takes nothing"
        rows.append(Result(GROUP, measured, unit, our, their, PEER, target))
    return rows
