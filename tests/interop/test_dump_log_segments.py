"""Kafka's own DumpLogSegments reads every kind of file that our log writes, and finds no fault."""

import re
from pathlib import Path

import pytest

from barnabas.log.config import LogConfig
from barnabas.log.opening import NO_CHECKPOINT, open_log
from barnabas.runtime.disk import RealDisk
from barnabas.types import TopicPartition
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.missing import PeerMissing, give_up
from tests.record_batches import make_batch

pytestmark = [pytest.mark.interop, pytest.mark.java]

SEGMENTS = 3
PER_SEGMENT = 40
COUNT = 3


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three segments of 40 batches of 3 records each: killed after the second, closed in order."""
    path = tmp_path_factory.mktemp("data") / "dogs-0"
    path.mkdir()
    config = LogConfig(index_interval_bytes=500, retention_ms=-1)
    log = open_log(RealDisk(), TopicPartition("dogs", 0), str(path), config, NO_CHECKPOINT)
    for number in range(SEGMENTS * PER_SEGMENT):
        if number and number % PER_SEGMENT == 0:
            log.roll(0)
        if number == 2 * PER_SEGMENT + 5:
            log.close(clean=False)
            log = open_log(RealDisk(), TopicPartition("dogs", 0), str(path), config, NO_CHECKPOINT)
        batch = make_batch(
            COUNT, size=200, timestamp=1000 * number, step=10, producer=(9, 0, COUNT * number)
        )
        log.append(memoryview(batch), leader_epoch=number // 50, now_ms=10**9)
        log.write_pending()
    log.close(clean=True)
    return path


def dump(directory: Path, pattern: str, *options: str) -> str:
    paths = sorted(map(str, directory.glob(pattern)))
    assert len(paths) >= SEGMENTS - 1
    try:
        return run_tool("DumpLogSegments", "--files", ",".join(paths), *options)
    except PeerMissing as missing:
        give_up(missing)


def test_every_batch_and_record_is_valid(directory: Path) -> None:
    printed = dump(directory, "*.log", "--deep-iteration")
    batches = re.findall(r"^baseOffset: (\d+) .* isvalid: (\w+)$", printed, re.MULTILINE)
    total = SEGMENTS * PER_SEGMENT
    assert batches == [(str(COUNT * number), "true") for number in range(total)]
    records = re.findall(r"^\| offset: (\d+) CreateTime: (\d+) ", printed, re.MULTILINE)
    assert records == [
        (str(COUNT * number + i), str(1000 * number + 10 * i))
        for number in range(total)
        for i in range(COUNT)
    ]


@pytest.mark.parametrize("kind", ["index", "timeindex"])
def test_indexes_are_sound_and_lead_where_they_say(directory: Path, kind: str) -> None:
    checked = dump(directory, f"*.{kind}", "--index-sanity-check")
    assert checked.count("passed sanity check") == SEGMENTS
    verified = dump(directory, f"*.{kind}", "--verify-index-only")
    assert "Mismatches in" not in verified
    assert "Found timestamp mismatch" not in verified
    assert "Found out of order" not in verified


def test_snapshots_hold_the_producer(directory: Path) -> None:
    printed = dump(directory, "*.snapshot")
    assert re.findall(r"producerId: (\d+) .*lastSequence: (\d+)", printed) == [
        ("9", str(COUNT * PER_SEGMENT * number - 1)) for number in range(1, SEGMENTS + 1)
    ]
