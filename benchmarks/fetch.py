"""Raw fetch out of the page cache: CPU of the broker per byte, answers of 1 MB and of 64 KB."""

from benchmarks.brokers import UNBOUNDED, create_topic, delete_topic
from benchmarks.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.results import Result

TOPIC = "bench-fetch"
LOG_BYTES = 800_000_000
BATCH = Batch.filling(65536, 1024)

# title, bytes an answer, answers a round
SIZES = (("1 MB", 1 << 20, 2_000), ("64 KB", 1 << 16, 16_000))
TARGET = 0.4


def measure(plan: Plan) -> list[Result]:
    """The rows of group `fetch`, both brokers in turns; the first round only warms."""
    figures: dict[str, dict[str, list[float]]] = {}
    batches = max(200, int(LOG_BYTES * plan.scale) // BATCH.size)
    brokers = plan.brokers()
    shape = {"value": BATCH.value, "records": BATCH.records}
    for broker in brokers:
        create_topic(broker, TOPIC, 1, UNBOUNDED)
        run_load("produce", port=broker.port, topic=TOPIC, requests=batches, **shape)
    for turn in range(plan.rounds + 1):
        for broker in brokers:
            with plan.pinning(broker):
                for title, size, answers in SIZES:
                    line = run_load(
                        "fetch", cpu=plan.cpu(), port=broker.port, pid=broker.pid, topic=TOPIC,
                        bytes=size, batches=batches, requests=plan.requests(answers), copy=1,
                        **shape,
                    )  # fmt: skip
                    if turn:
                        counted = figures.setdefault(title, {}).setdefault(broker.name, [])
                        counted.append(line["broker_cpu_per_gb"])
    for broker in brokers:
        delete_topic(broker, TOPIC)
    where = "one processor" if plan.pinned else "two processors"
    return [
        Result(
            f"fetch, {where}", f"answers of {title}", "CPU-s/GB",
            *(tuple(figures[title][broker.name]) for broker in brokers), plan.peer_name, TARGET,
        )
        for title, *_ in SIZES
    ]  # fmt: skip
