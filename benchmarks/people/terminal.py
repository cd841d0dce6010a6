"""What somebody waits for at a terminal and in a test: commands, a broker of its own, a scrape."""

import os
import resource
import subprocess
import time
from collections import defaultdict

from barnabas import Admin, NewTopic
from barnabas.testing import EmbeddedBroker
from benchmarks.people.processes import BARNABAS, METRICS, SERVER, fetched, running
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "terminal"
HELP_MS, LIST_MS, FIXTURE_MS = 120.0, 300.0, 15.0
"""The goals."""

TIMES = 5
TOPICS, PARTITIONS = 20, 10_000


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    rows: dict[tuple[str, str, float | None], list[float]] = defaultdict(list)
    serve = ("serve", "--ephemeral", "--port", "0", "--metrics-port", "0")
    with running((SERVER, METRICS), *serve) as (servers, metrics):
        with Admin(bootstrap_servers=servers) as admin:
            admin.create_topics([NewTopic(f"topic-{one}", 1, 1) for one in range(TOPICS)])
        for _ in range(plan.rounds):
            for _ in range(TIMES):
                for arguments, goal in ((("--help",), HELP_MS), (("topics", "list"), LIST_MS)):
                    wall, cpu = _command(*arguments, servers=servers)
                    name = f"barnabas {' '.join(arguments)}"
                    rows[name, "ms", goal].append(wall)
                    rows[f"{name}, CPU", "ms", None].append(cpu)
                rows["EmbeddedBroker, until ready", "ms", FIXTURE_MS].append(_fixture())
        partitions = plan.requests(PARTITIONS)
        with Admin(bootstrap_servers=servers) as admin:
            admin.create_topics([NewTopic("wide", partitions, 1)], timeout_s=120)
        for _ in range(plan.rounds):
            took, page = fetched(metrics)
            rows[f"scrape of {partitions:,} partitions", "ms", None].append(took)
            rows[f"scrape of {partitions:,} partitions, size", "MB", None].append(len(page) / 1e6)
    return [
        Result(GROUP, name, unit, tuple(figures), target=goal)
        for (name, unit, goal), figures in rows.items()
    ]


def _command(*arguments: str, servers: str) -> tuple[float, float]:
    """Milliseconds that a command took, and of a processor."""
    before, begun = _cpu_ms(), time.perf_counter()
    subprocess.run(
        [*BARNABAS, *arguments],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"BARNABAS_BOOTSTRAP_SERVERS": servers},
        check=True,
    )
    return (time.perf_counter() - begun) * 1000, _cpu_ms() - before


def _cpu_ms() -> float:
    """What commands that have ended took of a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def _fixture() -> float:
    begun = time.perf_counter()
    with EmbeddedBroker():
        return (time.perf_counter() - begun) * 1000
