"""Compaction: bytes of input a second on one processor, and what the broker's clients notice of it.

Input is counted as the segments lie on disk; of a compressed log, also as its keys and values are.

`ONLY=compaction python -m benchmarks` measures this group alone.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from barnabas import Admin, Producer, Resource
from barnabas.log.cleaner import CleanerSettings, LogCleaner
from barnabas.log.directories.checkpoints import CLEANED_UP_TO
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions, Partitioner, encode_arrow
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.worker import ThreadWorker
from barnabas.types import TopicPartition
from benchmarks.peers.brokers import BenchOurs, create_topic
from benchmarks.peers.load_generator import run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "compaction"
INPUT_BYTES = 300_000_000
SEGMENT_BYTES = 64 << 20
BATCH_BYTES = 64 << 10
PINGS = 5_000
PATIENCE_SECONDS = 60.0


class Shape(NamedTuple):
    """Bytes of a value, of how many records one has a key that no later one has, codec."""

    name: str
    value: int
    repeats: int
    codec: Codec = Codec.NONE


SHAPES = (
    Shape("100 B, half of them overwritten", 100, 2),
    Shape("1 KiB, half of them overwritten", 1024, 2),
    Shape("100 B, nine of ten overwritten", 100, 10),
    Shape("100 B in lz4, half of them overwritten", 100, 2, Codec.LZ4),
)
CONFIG = LogConfig(
    cleanup_policy=frozenset({"compact"}),
    segment_bytes=SEGMENT_BYTES,
    min_cleanable_dirty_ratio=0.0,
    retention_ms=-1,
)


def table_of(first: int, rows: int, value: int, repeats: int) -> dict[str, pa.Array]:
    """Columns of records, of whose keys each comes `repeats` times in all of a log."""
    numbers = range(first, first + rows)
    text = b'{"carrier":"UA","flight":1545,"origin":"EWR","dest":"IAH","n":%d}'
    return {
        "key": pa.array([b"key-%012d" % (each // repeats) for each in numbers]),
        "value": pa.array([(text % each * (value // 60 + 1))[:value] for each in numbers]),
        "timestamp": pa.array([1_700_000_000_000 + each for each in numbers], pa.int64()),
    }


def fill(logs: LogManager, size: int, shape: Shape) -> int:
    """A log of about `size` bytes of keys and values before compression; gives what it has."""
    value = shape.value
    log = logs.create(TopicPartition("t", 0), bytes(15) + b"\1", CONFIG)
    log.lead(0)
    now = SystemClock().time_ms()
    options = EncodeOptions(codec=shape.codec, batch_bytes=BATCH_BYTES)
    chunk, filled = 4_000_000 // (value + 30), 0
    for first in range(0, size // (value + 30), chunk):
        columns = table_of(first, chunk, value, shape.repeats)
        for made in encode_arrow(columns, partitioner=Partitioner(1), options=options, now_ms=now):
            log.append(memoryview(made.batch), leader_epoch=0, now_ms=now)
            log.write_pending()
        filled += columns["key"].nbytes + columns["value"].nbytes
    log.roll(now)
    log.flush()
    return filled


def megabytes_a_second(plan: Plan, shape: Shape) -> tuple[float, float]:
    """One log, made and compacted once on the broker's worker: as on disk, and unpacked."""
    with tempfile.TemporaryDirectory() as folder:
        disk, clock, entropy = RealDisk(), SystemClock(), SystemEntropy()
        logs = LogManager(disk, clock, entropy, LogSettings(1, [folder]), lambda _topic: CONFIG)
        logs.open()
        unpacked = fill(logs, int(INPUT_BYTES * plan.scale), shape)
        stored = sum(file.stat().st_size for file in Path(folder).glob("t-0/*.log"))
        worker = ThreadWorker()
        cleaner = LogCleaner(logs, worker, entropy, CleanerSettings())
        began = time.process_time()
        cleaner.poll(clock.time_ms())
        assert cleaner.busy
        while cleaner.busy:
            time.sleep(0.01)
            cleaner.poll(clock.time_ms())
        taken = time.process_time() - began
        worker.close()
        logs.close()
        disk.close()
    return stored / taken / 1e6, unpacked / taken / 1e6


def beside_compaction(plan: Plan) -> tuple[float, float]:
    """The 99th percentile of a round trip, in us: without compaction, and beside it."""
    with BenchOurs({"log.cleaner.backoff.ms": "100"}) as broker:
        create_topic(broker, "pinged", 1, {"retention.ms": "-1"})
        never = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1.0"}
        create_topic(broker, "t", 1, {**never, "segment.bytes": str(SEGMENT_BYTES)})
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=5) as producer:
            rows = 400_000
            for first in range(0, int(12 * plan.scale) * rows or rows, rows):
                columns = table_of(first, rows, 100, 2)
                names = {name: columns[name] for name in ("key", "value", "timestamp")}
                producer.send_arrow("t", pa.table(names), timestamp="timestamp", partition=0)
            producer.flush()

        def ping() -> float:
            return run_load(
                "ping", port=broker.port, pid=broker.pid, topic="pinged", records=1, value=100,
                requests=plan.requests(PINGS),
            )["p99_us"]  # fmt: skip

        alone = ping()
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            always = {"min.cleanable.dirty.ratio": "0.0001"}
            admin.alter_configs(Resource.TOPIC, "t", always)
        wait_until(lambda: any(broker.data_dir.glob("t-0/*.cleaned")))
        beside = ping()
        assert not cleaned(broker.data_dir), "compaction was over before the load was"
    return alone, beside


def wait_until(there: Callable[[], bool]) -> None:
    """Look every millisecond."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not there():
        assert time.monotonic() < deadline, "nothing was compacted"
        time.sleep(0.001)


def cleaned(data_dir: Path) -> bool:
    """Whether a round over `t` is over."""
    file = data_dir / CLEANED_UP_TO
    return file.exists() and "\nt 0 " in file.read_text()


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    found = []
    for shape in SHAPES:
        rounds = [megabytes_a_second(plan, shape) for _ in range(plan.rounds)]
        stored, unpacked = (tuple(column) for column in zip(*rounds, strict=True))
        counted = [("input as on disk", stored)]
        if shape.codec is not Codec.NONE:
            counted.append(("keys and values unpacked", unpacked))
        found += [
            Result(GROUP, f"{what}, {shape.name}", "MB/s", rate, target=200, better="higher")
            for what, rate in counted
        ]
    pairs = [beside_compaction(plan) for _ in range(plan.rounds)]
    alone, beside = (tuple(column) for column in zip(*pairs, strict=True))
    measured = "one message of 100 B, round trip p99, beside compaction"
    return [*found, Result(GROUP, measured, "us", beside, alone, "without", 2.0)]
