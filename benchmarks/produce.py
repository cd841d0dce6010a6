"""Raw produce: CPU of the broker per byte and per request, and the round trip of one message."""

from benchmarks.brokers import BOUNDED, Broker, create_topic, delete_topic
from benchmarks.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.results import Result

TOPIC = "bench-produce"

# title, bytes a request, bytes a value, requests a round, target against real Kafka
BULK = (
    ("64 KB requests of 1 KiB records", 65536, 1024, 12_000, 0.2),
    ("64 KB requests of 100 B records", 65536, 100, 12_000, 0.2),
    ("1 MB requests of 1 KiB records", 1_000_000, 1024, 1_000, 0.25),
)
SMALL_VALUE = 950  # with batch and record around it, 1 KiB on the wire
SMALL_REQUESTS = 40_000
PINGS = 20_000


def measure(plan: Plan) -> list[Result]:
    """The rows of group `produce`, both brokers in turns."""
    figures: dict[str, dict[str, list[float]]] = {}
    brokers = plan.brokers()
    for broker in brokers:
        create_topic(broker, TOPIC, 1, BOUNDED)
    for _ in range(plan.rounds):
        for broker in brokers:
            with plan.pinning(broker):
                for title, value in _one_round(plan, broker).items():
                    figures.setdefault(title, {}).setdefault(broker.name, []).append(value)
    for broker in brokers:
        delete_topic(broker, TOPIC)
    rows = [(title, "CPU-s/GB", target) for title, *_, target in BULK]
    rows += [
        ("1 KiB requests, 5 in flight", "µs CPU/request", 0.25),
        ("one message of 100 B, round trip p50", "µs", 0.35),
        ("one message of 100 B, round trip p99", "µs", 0.3),
    ]
    where = "one processor" if plan.pinned else "two processors"
    return [
        Result(
            f"produce, {where}", title, unit,
            *(tuple(figures[title][broker.name]) for broker in brokers), plan.peer_name, target,
        )
        for title, unit, target in rows
    ]  # fmt: skip


def _one_round(plan: Plan, broker: Broker) -> dict[str, float]:
    found: dict[str, float] = {}
    shared = {"port": broker.port, "pid": broker.pid, "topic": TOPIC}
    for title, request_bytes, value, requests, _target in BULK:
        batch = Batch.filling(request_bytes, value)
        line = run_load(
            "produce", cpu=plan.cpu(), **shared, value=value, records=batch.records,
            requests=plan.requests(requests),
        )  # fmt: skip
        found[title] = line["broker_cpu_per_gb"]
    small = {**shared, "records": 1}
    line = run_load(
        "produce", cpu=plan.cpu(), **small, value=SMALL_VALUE,
        requests=plan.requests(SMALL_REQUESTS),
    )  # fmt: skip
    found["1 KiB requests, 5 in flight"] = line["broker_us_per_request"]
    line = run_load("ping", cpu=plan.cpu(), **small, value=100, requests=plan.requests(PINGS))
    found["one message of 100 B, round trip p50"] = line["p50_us"]
    found["one message of 100 B, round trip p99"] = line["p99_us"]
    return found
