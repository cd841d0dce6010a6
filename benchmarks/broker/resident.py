"""Start and memory: the time to the first answer, the resident size idle and after 5 GB."""

from pathlib import Path

from benchmarks.peers.brokers import BOUNDED, BenchOurs, create_topic
from benchmarks.peers.load_generator import Batch, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

STARTS = 7
PARTITIONS = 100
THROUGH = 5_000_000_000
SMALL_SEGMENTS = {"segment.bytes": "10000000", "retention.bytes": "10000000"}


def resident_mb(pid: int, row: str = "VmRSS") -> float:
    """Megabytes (10^6) that the process holds, as /proc tells; VmHWM is the most it ever held."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{row}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(f"no {row} for process {pid}")


def measure(plan: Plan) -> list[Result]:
    """The rows of group `resident`; bounds on ours alone."""
    starts, idle = [], []
    for _ in range(STARTS):
        with BenchOurs() as broker:
            starts.append(broker.start_seconds)
            idle.append(resident_mb(broker.pid))
    through = THROUGH * plan.scale
    batch = Batch.filling(65536, 1024)
    with BenchOurs() as broker:
        create_topic(broker, "bench-wide", PARTITIONS, BOUNDED | SMALL_SEGMENTS)
        run_load(
            "produce", port=broker.port, topic="bench-wide", partitions=PARTITIONS,
            value=batch.value, records=batch.records, requests=int(through) // batch.size,
        )  # fmt: skip
        after, most = resident_mb(broker.pid), resident_mb(broker.pid, "VmHWM")
    title = f"RSS after {through / 1e9:.2g} GB through {PARTITIONS} partitions"
    return [
        Result("resident", "start to first ApiVersions answer", "s", tuple(starts), target=0.25),
        Result("resident", "RSS idle", "MB", tuple(idle), target=50),
        Result("resident", title, "MB", (after,), target=80, note=f"at most {most:.0f} MB"),
    ]
