"""Streams of more than 200 batches on a cluster with speculation, while all that can fail fails in turn.

At least once loses nothing. Exactly once doubles nothing either, for readers of committed records.
"""

import time
from collections import Counter
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import pytest

from tests.chaos.links import Links
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.child import Child
from tests.spark.streams.standalone import environment, standalone, submit
from tests.spark.streams.standalone_faults import Faults
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(2400)]

PROGRAM = Path(__file__).with_name("submitted_program.py")
BATCHES, ROWS_A_BATCH = 205, 100
BETWEEN = 9
"""Batches from one fault to the next: each of the eight comes two or three times."""
STARTS = 40
PATIENCE_S = 2000.0

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.2",
    "spark.speculation.quantile": "0.5",
}
SECOND_ATTEMPT = "as speculatable"
"""What Spark logs where it starts one."""


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_nothing_is_lost_and_nothing_doubled(guarantee: str, tmp_path: Path) -> None:
    count = BATCHES * ROWS_A_BATCH
    commits = tmp_path / "checkpoint" / "commits"
    hit: Counter[str] = Counter()
    with ExitStack() as stack:
        broker = OurBroker()
        link = stack.enter_context(Links()).link(broker.port)
        broker.properties["advertised.listeners"] = f"PLAINTEXT://127.0.0.1:{link.port}"
        stack.enter_context(broker)
        topics = Topics(f"127.0.0.1:{link.port}")
        source, target = topics.create(4), topics.create(2)
        topics.send_numbers(source, range(count), partitions=4)
        cluster = stack.enter_context(standalone(tmp_path, workers=2))
        given = (topics.servers, source, target, str(tmp_path / "checkpoint"), guarantee)
        command = submit(cluster.master, PROGRAM, *given, more=SPECULATION)
        faults = cycle(Faults(cluster, broker, link).all.items())
        deadline = time.monotonic() + PATIENCE_S
        logs = []
        for start in range(STARTS):
            logs.append(tmp_path / f"driver-{start}.log")
            with Child(command, logs[-1], environment=environment()) as driver:
                begun = done(commits)
                while driver.alive():
                    assert time.monotonic() < deadline, (hit, driver.tail())
                    if begun < done(commits) and done(commits) // BETWEEN > hit.total():
                        name, fault = next(faults)
                        hit[name] += 1 if fault(driver) else 0
                    time.sleep(0.05)
                if driver.process.returncode == 0:
                    break
        else:
            raise AssertionError(f"{STARTS} starts did not do: {hit}, {logs[-1]}")
        found = Counter(int(each.value() or b"") for each in topics.committed(target))
    assert done(commits) >= BATCHES
    assert len(hit) == 8, hit
    printed = "".join(each.read_text(errors="replace") for each in logs)
    assert SECOND_ATTEMPT in printed, "a task ran twice at a time"
    assert set(found) == set(range(count))
    if guarantee == "exactly-once":
        doubled = {number for number, times in found.items() if times > 1}
        assert not doubled
        assert f"records: {count}" in printed


def done(commits: Path) -> int:
    """How many batches the query has committed; Spark keeps the files of the last hundred."""
    return 1 + max(
        (int(each.name) for each in commits.glob("*") if each.name.isdecimal()), default=-1
    )
