"""Our driver beside confluent-kafka, on our broker: consuming and producing values of 100 B."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.brokers import BOUNDED, UNBOUNDED, BenchOurs, create_topic
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

ROOT = Path(__file__).resolve().parents[1]
LOOP_SECONDS = 300
IN_LOG = 10_000_000

# Every loop with as many records as keep it busy for some seconds.
CONFLUENT_CONSUME, CONFLUENT_PRODUCE = "consume-confluent", "produce-confluent"
EQUAL_PRODUCE = "produce-confluent-equal"
COUNTS = {
    CONFLUENT_CONSUME: 4_000_000,
    "consume-arrow": IN_LOG,
    "consume-records": 6_000_000,
    CONFLUENT_PRODUCE: 2_000_000,
    EQUAL_PRODUCE: 3_000_000,
    "produce-send": 3_000_000,
    "produce-send-equal": 3_000_000,
    "produce-arrow": 10_000_000,
}
FEWEST = 200_000

# our loop, what the row is called, confluent's loop, at least this many times its records a second
ROWS = (
    ("consume-arrow", "consume into Arrow batches", CONFLUENT_CONSUME, 5.0),
    ("consume-records", "consume into Record objects", CONFLUENT_CONSUME, 2.0),
    ("produce-send", "produce, a call for each record, both by default", CONFLUENT_PRODUCE, 1.5),
    ("produce-send-equal", "the same, both in batches of 1 MB", EQUAL_PRODUCE, 1.5),
    ("produce-arrow", "produce from Arrow, both by default", CONFLUENT_PRODUCE, 5.0),
)


class LoopFailed(Exception):
    """A client loop ended with an error."""


def run_loop(loop: str, broker: BenchOurs, topic: str, count: int) -> float:
    """Records a second of one loop in a process of its own."""
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.driver.client_loops",
            loop, broker.bootstrap_servers, topic, str(count),
        ],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": "src"}, capture_output=True, text=True,
        timeout=LOOP_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise LoopFailed(f"{loop}: {done.stderr.strip()[-2000:]}")
    line = json.loads(done.stdout)
    return float(line["records"]) / float(line["seconds"])


def measure(plan: Plan) -> list[Result]:
    """The rows of group `clients`; acks=all is everybody's default."""
    batch = Batch.filling(65536, 100)
    rates: dict[str, list[float]] = {loop: [] for loop in COUNTS}
    with BenchOurs() as broker:
        create_topic(broker, "bench-read", 1, UNBOUNDED)
        run_load(
            "produce", port=broker.port, topic="bench-read", value=batch.value,
            records=batch.records, requests=_records(plan, IN_LOG) // batch.records + 1,
        )  # fmt: skip
        create_topic(broker, "bench-write", 1, BOUNDED)
        for _ in range(plan.rounds):
            for loop, count in COUNTS.items():
                topic = "bench-read" if loop.startswith("consume") else "bench-write"
                rates[loop].append(run_loop(loop, broker, topic, _records(plan, count)))
    return [
        Result(
            "clients", title, "records/s", tuple(rates[loop]), tuple(rates[peer]),
            f"confluent {peer.split('-')[0]}()", target, "higher",
        )
        for loop, title, peer, target in ROWS
    ]  # fmt: skip


def _records(plan: Plan, count: int) -> int:
    return max(FEWEST, int(count * plan.scale))
