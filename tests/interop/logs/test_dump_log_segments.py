"""Kafka's own DumpLogSegments reads every kind of file that our log writes, and finds no fault."""

import re
import shutil
from pathlib import Path

import pytest

from barnabas.log.directories.checkpoints import NO_CHECKPOINT, Checkpoint
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.codecs.compression import Codec
from barnabas.records.old_messages.convert import convert
from barnabas.records.old_messages.set_builder import MessageSetBuilder
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.missing import PeerMissing, give_up
from tests.record_batches import make_batch

pytestmark = [pytest.mark.interop, pytest.mark.java]

SEGMENTS = 3
VECTORS = Path(__file__).parents[2] / "vectors" / "logs"
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
            rolled = Checkpoint(COUNT * 2 * PER_SEGMENT, 0, clean=False)
            log = open_log(RealDisk(), TopicPartition("dogs", 0), str(path), config, rolled)
        batch = make_batch(
            COUNT, size=200, timestamp=1000 * number, step=10, producer=(9, 0, COUNT * number)
        )
        log.append(memoryview(batch), leader_epoch=number // 50, now_ms=10**9)
        log.write_pending()
    log.close(clean=True)
    return path


def dump(directory: Path, pattern: str, *options: str) -> str:
    paths = sorted(map(str, directory.glob(pattern)))
    assert paths
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


@pytest.mark.parametrize("version", ["0.8.0", "0.9.0.1", "0.10.2.2"])
def test_what_we_recover_of_an_old_log_and_append_to_it(tmp_path: Path, version: str) -> None:
    """Messages of magic 0 or 1 with indexes made anew, and batches of today behind them."""
    path = shutil.copytree(VECTORS / f"kafka-{version}" / "corpus-1", tmp_path / "corpus-1")
    for index in [*path.glob("*.index"), *path.glob("*.timeindex")]:
        index.unlink()
    config = LogConfig(index_interval_bytes=200, retention_ms=-1)
    log = open_log(RealDisk(), TopicPartition("corpus", 1), str(path), config, NO_CHECKPOINT)
    end = log.end_offset
    for number in range(5):
        batch = make_batch(2, size=200, timestamp=2 * 10**12 + number)
        log.append(memoryview(batch), leader_epoch=0, now_ms=2 * 10**12)
        log.write_pending()
    log.close(clean=True)
    printed = dump(path, "*.log", "--deep-iteration")
    valid = re.findall(
        r"^baseOffset: (\d+) lastOffset: (\d+).* isvalid: (\w+)$", printed, re.MULTILINE
    )
    assert {each[2] for each in valid} == {"true"}
    assert max(int(each[1]) for each in valid) == end + 9
    for kind in ("index", "timeindex"):
        verified = dump(path, f"*.{kind}", "--verify-index-only")
        assert "Mismatches in" not in verified
        assert "Found timestamp mismatch" not in verified
        assert "Found out of order" not in verified


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_message_sets_of_ours(tmp_path: Path, magic: int, codec: Codec) -> None:
    """Built one by one, and converted from a batch of today."""
    builder = MessageSetBuilder(magic, codec, 1 << 20)
    for number in range(20):
        builder.append(1000 + number, b"k%d" % number, None if number == 3 else b"v" * number)
    built = builder.build()
    modern = convert(built, 2, upwards=True).data
    again = convert(modern, magic).data
    for number, data in enumerate((built, again)):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "00000000000000000000.log").write_bytes(data)
        printed = dump(tmp_path / f"{number}", "*.log", "--deep-iteration", "--print-data-log")
        assert "isvalid: false" not in printed
        offsets = re.findall(r"^\| offset: (\d+) .*keySize: (-?\d+)", printed, re.MULTILINE)
        assert offsets == [(str(n), str(len(b"k%d" % n))) for n in range(20)]
