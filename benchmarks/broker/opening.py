"""How long a broker takes to start on 1,000 partitions of 3 segments, closed in order.

`ONLY=opening python -m benchmarks` measures this alone.
"""

from pathlib import Path

from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from benchmarks.peers.brokers import BenchOurs, cpu_seconds
from benchmarks.plan import Plan
from benchmarks.report.result import Result

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


def starts(rounds: int) -> list[tuple[float, float]]:
    """Wall and CPU seconds of `barnabas serve` to its first answer, of each start.

    The broker has been up on the directory once before, so that the topics are its own.
    """
    broker = BenchOurs()
    broker.data_dir.mkdir()
    fill(broker.data_dir)
    found = []
    with broker:
        for _ in range(rounds):
            broker.child.stop()
            broker.start(step=0.001)
            found.append((broker.start_seconds, cpu_seconds(broker.pid)))
        assert sum(1 for _ in broker.data_dir.glob("t-*/*.log")) == PARTITIONS * SEGMENTS
    return found


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    wall, processor = zip(*starts(plan.rounds), strict=True)
    measured = f"`serve` to its first answer, {PARTITIONS:,} partitions of {SEGMENTS} segments"
    return [
        Result("opening", measured, "s", wall, target=2.0),
        Result("opening", measured, "CPU-s", processor, target=2.0),
    ]
