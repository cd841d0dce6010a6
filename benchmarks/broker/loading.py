"""A broker starts over 1,000,000 offset records: how long until it tells an offset.

Both have the same file, as ours writes it, and one partition of offsets. What the records alone take
is the difference to a start over the log of one commit.
"""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pyarrow as pa

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions, Partitioner, encode_arrow
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from benchmarks.broker.coordinators import CPU, TIME
from benchmarks.peers.asking import GROUPS as OF_GROUPS
from benchmarks.peers.asking import ask, find_coordinator, wait_until
from benchmarks.peers.brokers import BenchKafka, BenchOurs, cpu_seconds, create_topic
from benchmarks.peers.load_generator import LoadFailed, run_load
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "loading"
TOPIC = "bench-loading"
GROUPS, PARTITIONS, TIMES = 1_000, 100, 10
RECORDS = GROUPS * PARTITIONS * TIMES
BATCH_RECORDS = 10
"""A request commits some partitions at once, and becomes a batch."""
ONE_SHARD = {"offsets.topic.num.partitions": "1"}

Restart = tuple[float, float]
"""Seconds from the start of the process to the answer, and CPU seconds of the process."""
_Rounds = Sequence[Sequence[Restart]]
"""Ours and theirs of each."""


class Restarted(NamedTuple):
    """A broker that can be stopped for a while."""

    broker: BenchOurs | BenchKafka

    @contextlib.contextmanager
    def down(self) -> Iterator[Path]:
        """It is stopped in order; gives its log directory."""
        if isinstance(self.broker, BenchKafka):
            with self.broker.down() as folder:
                yield folder
        else:
            self.broker.child.stop()
            yield self.broker.data_dir
            self.broker.start(step=0.001)

    def make_shard(self) -> None:
        """Have the internal topic made, by one commit."""
        create_topic(self.broker, TOPIC, 1, {})
        find_coordinator(self.broker.port, OF_GROUPS)
        wait_until(self._has_committed)

    def _has_committed(self) -> bool:
        try:
            run_load("commits", port=self.broker.port, topic=TOPIC, requests=1)
        except LoadFailed:
            return False
        return True

    def restart(self, expected: int) -> Restart:
        """Start again, and wait for the offset that the group of the last records is to have."""
        with self.down():
            begun = time.monotonic()
        wait_until(lambda: self._tells(expected))
        taken = time.monotonic() - begun
        return taken, cpu_seconds(self.broker.pid)

    def place(self, log: Path) -> None:
        """Have the partition's log be this file."""
        with self.down() as folder:
            partition = folder / "__consumer_offsets-0"
            for file in partition.glob("0*"):
                file.unlink()
            shutil.copyfile(log, partition / log.name)

    def _tells(self, expected: int) -> bool:
        asked = OffsetFetchRequest(
            group_id=_group(0), topics=[OffsetFetchRequestTopic(name=TOPIC, partition_indexes=[0])]
        )
        answer = ask(self.broker.port, ApiKey.OFFSET_FETCH, 7, asked)
        assert isinstance(answer, OffsetFetchResponse)
        if answer.error_code:
            return False  # still loading
        offset = answer.topics[0].partitions[0].committed_offset
        assert offset == expected, f"the offset is {expected}, not {offset}"
        return True


def _group(number: int) -> str:
    return f"group-{number:05}"


def write_log(folder: Path) -> Path:
    """The file with the records, each position committed so many times."""
    disk, clock = RealDisk(), SystemClock()
    config = LogConfig(retention_ms=-1)
    logs = LogManager(
        disk, clock, SystemEntropy(), LogSettings(1, [str(folder)]), lambda _topic: config
    )
    logs.open()
    log = logs.create(TopicPartition("__consumer_offsets", 0), bytes(15) + b"\1", config)
    log.lead(0)
    now = clock.time_ms()
    options = EncodeOptions(codec=Codec.NONE, batch_bytes=_batch_bytes(now))
    places = [(group, index) for group in range(GROUPS) for index in range(PARTITIONS)]
    keys = pa.array([_record(*place, 0, now).key for place in places])
    for turn in range(TIMES):
        value = _record(0, 0, turn, now).value
        columns = {
            "key": keys,
            "value": pa.array([value] * len(keys)),
            "timestamp": pa.array([now] * len(keys), pa.int64()),
        }
        for made in encode_arrow(columns, partitioner=Partitioner(1), options=options, now_ms=now):
            log.append(memoryview(made.batch), leader_epoch=0, now_ms=now)
        log.write_pending()
    assert log.end_offset == RECORDS
    logs.close()
    disk.close()
    return next(folder.rglob("*.log"))


def _record(group: int, index: int, offset: int, now: int) -> CoordinatorRecord:
    committed = OffsetAndMetadata(offset, -1, "", now)
    return encode_commit(_group(group), TopicPartition(TOPIC, index), committed)


def _batch_bytes(now: int) -> int:
    """So many bytes have room for the records of one request, and for no more."""
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for _ in range(BATCH_RECORDS):
        builder.append(now, *_record(0, 0, 0, now))
    return len(builder.build())


def measure(plan: Plan) -> list[Result]:
    """The rows of this group, both brokers in turns."""
    with contextlib.ExitStack() as stack:
        log = write_log(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        both = [
            Restarted(stack.enter_context(BenchOurs(ONE_SHARD))),
            Restarted(stack.enter_context(BenchKafka(ONE_SHARD))),
        ]
        for one in both:
            one.make_shard()
        few = [[one.restart(0) for one in both] for _ in range(plan.rounds)]
        for one in both:
            one.place(log)
            one.restart(TIMES - 1)
        many = [[one.restart(TIMES - 1) for one in both] for _ in range(plan.rounds)]
    started = f"start over {RECORDS:,} offset records until one is read"
    alone = "the same, more than over one record"
    rows: list[Result] = []
    for title, base in ((started, None), (alone, few)):
        for unit, which, target in (("s", 0, TIME), ("CPU-s", 1, CPU)):
            ours, peer = (_figures(many, base, side, which) for side in (0, 1))
            rows.append(Result(GROUP, title, unit, ours, peer, plan.peer_name, target))
    return rows


def _figures(many: _Rounds, base: _Rounds | None, side: int, which: int) -> tuple[float, ...]:
    """Of each round; what is beyond the median of `base`, if there is one."""
    less = median(each[side][which] for each in base) if base else 0.0
    return tuple(each[side][which] - less for each in many)
