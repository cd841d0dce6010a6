"""Our driver beside confluent-kafka, on our broker: consuming and producing values of 100 B."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.brokers import BOUNDED, UNBOUNDED, BenchOurs, create_topic
from benchmarks.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.results import Result

ROOT = Path(__file__).resolve().parents[1]
COUNT = 3_000_000
LOOP_SECONDS = 300

# our loop, what the row is called, at least this many times confluent's records a second
CONSUME = (
    ("consume-arrow", "consume into Arrow batches", 5.0),
    ("consume-records", "consume into Record objects", 2.0),
)
PRODUCE = (
    ("produce-send", "produce, a call for each record, acks=all", 1.5),
    ("produce-arrow", "produce from Arrow, acks=all", 5.0),
)


class LoopFailed(Exception):
    """A client loop ended with an error."""


def run_loop(loop: str, broker: BenchOurs, topic: str, count: int) -> float:
    """Records a second of one loop in a process of its own."""
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.client_loops",
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
    """The rows of group `clients`."""
    count = max(200_000, int(COUNT * plan.scale))
    batch = Batch.filling(65536, 100)
    rates: dict[str, list[float]] = {}
    with BenchOurs() as broker:
        create_topic(broker, "bench-read", 1, UNBOUNDED)
        run_load(
            "produce", port=broker.port, topic="bench-read", value=batch.value,
            records=batch.records, requests=count // batch.records + 1,
        )  # fmt: skip
        create_topic(broker, "bench-write", 1, BOUNDED)
        for _ in range(plan.rounds):
            for loop in ("consume-confluent", *(row[0] for row in CONSUME)):
                rates.setdefault(loop, []).append(run_loop(loop, broker, "bench-read", count))
            for loop in ("produce-confluent", *(row[0] for row in PRODUCE)):
                rates.setdefault(loop, []).append(run_loop(loop, broker, "bench-write", count))
    return [
        Result(
            "clients", title, "records/s", tuple(rates[loop]), tuple(rates[peer]),
            peer_name, target, "higher",
        )
        for rows, peer, peer_name in (
            (CONSUME, "consume-confluent", "confluent consume()"),
            (PRODUCE, "produce-confluent", "confluent produce()"),
        )
        for loop, title, target in rows
    ]  # fmt: skip
