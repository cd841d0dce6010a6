"""How long a broker takes to open a directory of 1,000 partitions of 3 segments, closed in order.

`ONLY=opening python -m benchmarks` measures this alone.
"""

import tempfile
import time
from pathlib import Path

from barnabas.log.config import LogConfig
from barnabas.log.manager import LogManager, LogSettings
from barnabas.records.builder import BatchBuilder
from barnabas.records.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.disk import RealDisk
from barnabas.runtime.entropy import SystemEntropy
from barnabas.types import TopicPartition
from benchmarks.plan import Plan
from benchmarks.results import Result

PARTITIONS, SEGMENTS = 1000, 3


def manager(path: Path, disk: RealDisk) -> LogManager:
    """The logs of one directory, which the caller opens and closes."""
    settings = LogSettings(1, [str(path)])
    return LogManager(disk, SystemClock(), SystemEntropy(), settings, lambda _topic: LogConfig())


def fill(path: Path) -> None:
    """Make the logs, with a batch in each segment."""
    disk, clock = RealDisk(), SystemClock()
    logs = manager(path, disk)
    logs.open()
    for number in range(PARTITIONS):
        log = logs.create(TopicPartition("t", number), bytes(15) + b"\1", LogConfig())
        log.lead(0)
        for segment in range(SEGMENTS):
            if segment:
                log.roll(clock.time_ms())
            builder = BatchBuilder(Codec.NONE, 10_000)
            for _ in range(10):
                builder.append(clock.time_ms(), b"key", b"value" * 20, ())
            log.append(memoryview(builder.build()), leader_epoch=0, now_ms=clock.time_ms())
            log.write_pending()
    logs.close()
    disk.close()


def seconds_to_open(path: Path) -> float:
    """Open the directory once, and close it in order."""
    disk = RealDisk()
    logs = manager(path, disk)
    began = time.process_time()
    logs.open()
    taken = time.process_time() - began
    assert sum(len(log.segments) for log in logs.logs()) == PARTITIONS * SEGMENTS
    logs.close()
    disk.close()
    return taken


def measure(plan: Plan) -> list[Result]:
    """The row of this group."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        taken = tuple(seconds_to_open(Path(folder)) for _ in range(plan.rounds))
    measured = f"{PARTITIONS:,} partitions of {SEGMENTS} segments, closed in order"
    return [Result("opening", measured, "CPU-s", taken, target=2.0)]
