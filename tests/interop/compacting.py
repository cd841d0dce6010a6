"""One log and two cleaners: what Kafka's leaves of it, and what ours does."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from barnabas import Admin, NewTopic, Resource
from barnabas.errors import ErrorCode
from barnabas.log.cleaner import CleanerSettings, LogCleaner
from barnabas.log.directories.checkpoints import CLEANED_UP_TO
from barnabas.log.file_names import INDEX, TIME_INDEX
from barnabas.log.inspection.segments import (
    InspectedBatch,
    InspectedEntry,
    examine,
    examine_offset_index,
    examine_time_index,
)
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.produce import ProduceResponse
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.control import read_marker
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from tests.interop.brokers import Running
from tests.interop.differential.data import produced
from tests.interop.raw import Raw
from tests.step_worker import StepWorker

SECONDS = 30
SOON = {"log.cleaner.backoff.ms": "100"}
NEVER, ALWAYS = "1.0", "0.0001"


Row = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]
"""Offset, timestamp, key, value, headers."""


class Left(NamedTuple):
    """A batch or message that is left.

    Its horizon of deletion depends on the clock, so only whether it has one is compared. Nor is its base
    timestamp, which Kafka sets again from the first record that is left.
    """

    offsets: tuple[int, int]
    magic: int
    attributes: int
    producer: tuple[int, int, int]
    newest: int
    marker: object
    records: tuple[Row, ...]


def left(folder: Path) -> tuple[list[int], list[Left]]:
    """The base offsets of the segments, and all that is in them; everything must be sound."""
    bases, batches = [], []
    for file in sorted(folder.glob("*.log")):
        bases.append(int(file.stem))
        data = memoryview(file.read_bytes())
        here: list[InspectedBatch] = []
        for found in examine(data, bases[-1]):
            assert isinstance(found, InspectedBatch), found
            assert not found.faults, found
            here.append(found)
        batches += [_left(found, data) for found in here]
        for kind, look in ((INDEX, examine_offset_index), (TIME_INDEX, examine_time_index)):
            entries = memoryview(file.with_suffix(kind).read_bytes())
            for entry in look(entries, bases[-1], here):
                assert isinstance(entry, InspectedEntry), entry
                assert not entry.fault, entry
    return bases, batches


def _left(found: InspectedBatch, data: memoryview) -> Left:
    head = found.header
    whole = data[head.position : head.end]
    return Left(
        (head.base_offset, head.last_offset),
        head.magic,
        head.attributes,
        (head.producer_id, head.producer_epoch, head.base_sequence),
        head.max_timestamp,
        read_marker(whole) if head.control and head.count else None,
        tuple(
            (each.offset, each.timestamp, each.key, each.value, tuple(each.headers))
            for each in decode_records(whole, "t", 0)[0]
        ),
    )


class TwiceCleaned:
    """A topic `t` of one partition in a running Kafka, cleaned there, and by us from a copy."""

    def __init__(self, kafka: Running, scratch: Path, **config: str) -> None:
        self._kafka = kafka
        self._scratch = scratch
        self._rounds = 0
        self.folder = kafka.data_dir / "t-0"
        self.config = {
            "cleanup.policy": "compact",
            "min.cleanable.dirty.ratio": NEVER,
            "segment.ms": "1000",
            "index.interval.bytes": "100",
            **config,
        }
        with Admin(bootstrap_servers=kafka.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("t", 1, 1, configs=self.config)])

    def send(self, version: int, records: bytes) -> None:
        """Produce one set as it is, in that version of Produce (7 at most)."""
        header = RequestHeader(ApiKey.PRODUCE, version, 1, "cleaner")
        request = encode_request(header, produced("t", records)).joined()
        deadline = time.monotonic() + SECONDS
        with Raw(self._kafka.bootstrap_servers) as connection:
            while True:
                answer = connection.ask(request)
                assert answer is not None
                _, response = decode_response(ApiKey.PRODUCE, version, answer)
                assert isinstance(response, ProduceResponse)
                code = response.responses[0].partition_responses[0].error_code
                if code == ErrorCode.NONE:
                    return
                assert ErrorCode(code).retriable, code  # it is not led yet
                assert time.monotonic() < deadline, code
                time.sleep(0.05)

    def clean(self, config: LogConfig, until: int) -> tuple[Path, Path]:
        """Both clean up to an offset at least; gives the folders, Kafka's and ours."""
        self._rounds += 1
        copy = self._scratch / f"round-{self._rounds}"
        copy.mkdir()
        shutil.copytree(self.folder, copy / "t-0", ignore=shutil.ignore_patterns("*.deleted"))
        for name in ("meta.properties", CLEANED_UP_TO):
            if (self._kafka.data_dir / name).exists():
                shutil.copy(self._kafka.data_dir / name, copy)
        self._set("min.cleanable.dirty.ratio", ALWAYS)
        deadline = time.monotonic() + SECONDS
        while cleaned_up_to(self._kafka.data_dir) < until:
            assert time.monotonic() < deadline, "Kafka's cleaner does not come to it"
            time.sleep(0.05)
        self._set("min.cleanable.dirty.ratio", NEVER)
        _clean(copy, config)
        assert cleaned_up_to(copy) == cleaned_up_to(self._kafka.data_dir)
        return self.folder, copy / "t-0"

    def set_retention_of_tombstones(self, milliseconds: int) -> None:
        """From the next round on."""
        self._set("delete.retention.ms", str(milliseconds))

    def _set(self, name: str, value: str) -> None:
        with Admin(bootstrap_servers=self._kafka.bootstrap_servers) as admin:
            admin.alter_configs(Resource.TOPIC, "t", {name: value})


def cleaned_up_to(folder: Path) -> int:
    """Where the next round over `t` begins, by the checkpoint of a log directory; -1 for nowhere."""
    file = folder / CLEANED_UP_TO
    rows = file.read_text().splitlines()[2:] if file.exists() else []
    return next((int(row.split()[2]) for row in rows if row.startswith("t 0 ")), -1)


def _clean(path: Path, config: LogConfig) -> None:
    """One round of ours over a log directory."""
    node = 1
    entropy, disk = SystemEntropy(), RealDisk()
    logs = LogManager(
        disk, SystemClock(), entropy, LogSettings(node, [str(path)]), lambda _: config
    )
    logs.open()
    (log,) = logs.logs()
    log.flush()
    worker = StepWorker(disk)
    cleaner = LogCleaner(logs, worker, entropy, CleanerSettings())
    now = SystemClock().time_ms()
    events = cleaner.poll(now)
    while cleaner.busy:
        worker.take(1000)
        events += cleaner.poll(now)
    worker.take(1000)
    assert [event.problem for event in events] == [False], events
    cleaner.close()
    logs.close()
    disk.close()


def batches_of_keys(start_ms: int) -> Iterator[bytes]:
    """Batches of magic 2 in all codecs over few keys, with tombstones, headers, empty strings.

    Every fourth is 2 s later than the one before, so that a new segment begins.
    """
    for number in range(40):
        builder = BatchBuilder(list(Codec)[number % 5], 1 << 20)
        time_ms = start_ms + 2000 * (number // 4) + number
        for at in range(1 + number % 7):
            key = b"key-%d" % ((number * 5 + at * 3) % 23)
            value = None if (number + at) % 6 == 0 else b"%d-%d" % (number, at) * (at + 1)
            headers = [("h", b"1"), ("n", None)] if at % 3 == 1 else []
            builder.append(time_ms + at % 3, b"" if at == 5 else key, value, headers)
        producer = (7000 + number % 2, 0, 0) if number in (10, 21) else (-1, -1, -1)
        yield bytes(builder.build(*producer))


def last_of_a_segment(time_ms: int) -> bytes:
    """A batch of a key of its own; sent late enough, it begins the active segment."""
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    builder.append(time_ms, b"last", b"last")
    return bytes(builder.build())
