"""Which log the cleaner takes, what it writes down, what it does when something is in its way."""

from pathlib import Path

import pytest

from barnabas.log.cleaner import CleanerSettings, LogCleaner
from barnabas.log.log_start import LogEvent, LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import drop_expired
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.step_worker import StepWorker

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
NOW = 100_000


class Kennel:
    """A log of four segments, each with the keys a and b, and a cleaner for it."""

    def __init__(self, path: Path, others: tuple[Path, ...] = (), **properties: object) -> None:
        self.path = path
        policy = {"cleanup_policy": frozenset({"compact"}), "file_delete_delay_ms": 0}
        self.config = LogConfig(**{**policy, **properties})  # type: ignore[arg-type]
        settings = LogSettings(1, [str(one) for one in (path, *others)])
        entropy = SystemEntropy()
        self.logs = LogManager(
            RealDisk(), SystemClock(), entropy, settings, lambda _topic: self.config
        )
        self.logs.open()
        self.log = self.logs.create(DOGS, bytes(16), self.config)
        self.worker = StepWorker(RealDisk())
        self.cleaner = LogCleaner(self.logs, self.worker, entropy, CleanerSettings())
        for _ in range(4):
            append(self.log)

    def clean(self, now_ms: int = NOW) -> list[LogEvent]:
        events = self.cleaner.poll(now_ms)
        self.worker.take(1000)
        events += self.cleaner.poll(now_ms)
        self.worker.take(1000)
        return events

    def bases(self) -> list[int]:
        return [segment.base_offset for segment in self.log.segments]


def append(log: PartitionLog, keys: tuple[bytes, ...] = (b"a", b"b")) -> None:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for key in keys:
        builder.append(NOW, key, b"1", [])
    log.append(memoryview(builder.build()), leader_epoch=0, now_ms=NOW)
    log.roll(NOW)
    log.flush()


def test_a_log_is_compacted_and_the_place_is_written_as_kafka_does(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    (event,) = kennel.clean()
    assert event.text.startswith("compacted up to 8: 2 keys, 4 segments of ")
    assert kennel.bases() == [0, 8]
    assert (tmp_path / "cleaner-offset-checkpoint").read_text() == "0\n1\ndogs 0 8\n"
    assert not kennel.clean(NOW + 20_000)


def test_a_log_that_is_made_anew_is_dirty_from_its_start(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    kennel.clean()
    kennel.logs.delete(DOGS)
    kennel.log = kennel.logs.create(DOGS, bytes(15) + b"n", kennel.config)
    append(kennel.log, (b"c", b"c"))
    for _ in range(4):
        append(kennel.log)
    (event,) = kennel.clean(NOW + 20_000)
    assert event.text.startswith("compacted up to 10: 3 keys, 5 segments of ")


def test_a_log_that_is_clean_enough_is_left_alone(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, min_cleanable_dirty_ratio=0.5)
    kennel.clean()
    append(kennel.log)
    assert kennel.bases() == [0, 8, 10]
    assert not kennel.clean(NOW + 20_000)
    append(kennel.log)
    assert kennel.clean(NOW + 40_000)


def test_what_is_young_stays(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, min_compaction_lag_ms=1_000)
    assert not kennel.clean(NOW + 999)
    assert kennel.clean(NOW + 20_000)


def test_what_is_old_is_compacted_however_clean_the_rest(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, min_cleanable_dirty_ratio=1.0, max_compaction_lag_ms=50_000)
    assert not kennel.clean(NOW + 20_000)
    assert kennel.clean(NOW + 50_001)


def test_only_compacted_topics_are(tmp_path: Path) -> None:
    assert not Kennel(tmp_path, cleanup_policy=frozenset({"delete"})).clean()


def test_what_is_compacted_may_expire_too(tmp_path: Path) -> None:
    both = frozenset({"compact", "delete"})
    kennel = Kennel(tmp_path, cleanup_policy=both, retention_ms=5_000)
    kennel.clean()
    assert kennel.bases() == [0, 8]
    assert not drop_expired(kennel.log, NOW + 5_000)
    (gone,) = drop_expired(kennel.log, NOW + 5_001)
    assert gone.base_offset == 0
    assert (kennel.log.start_offset, kennel.bases()) == (8, [8])


def test_who_reads_an_old_segment_reads_it_to_the_end(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, file_delete_delay_ms=60_000)
    found = kennel.log.read(0, 1000, max_offset=100, min_one=True).records
    assert found is not None
    before = found.file.read(found.position, found.size)
    kennel.clean()
    kennel.logs.maintain(NOW + 59_999)
    assert kennel.bases() == [0, 8]
    assert found.file.read(found.position, found.size) == before
    kennel.logs.maintain(NOW + 60_000)
    assert not list(tmp_path.glob("dogs-0/*.deleted"))


def test_what_retention_took_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    kennel.cleaner.poll(NOW)
    kennel.worker.take(1000)
    kennel.log.delete_before(4)
    kennel.logs.remove_later(kennel.log, drop_expired(kennel.log, NOW), NOW)
    kennel.cleaner.poll(NOW)
    assert kennel.log.start_offset == 4
    assert kennel.bases()[0] == 4
    assert not list(tmp_path.glob("dogs-0/*.cleaned"))


def test_damage_is_reported_once_and_the_log_is_left_as_it_is(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    path = tmp_path / "dogs-0" / f"{2:020d}.log"
    content = bytearray(path.read_bytes())
    content[70] ^= 1
    path.write_bytes(content)
    (event,) = kennel.clean()
    assert event.problem
    assert "not compacted: batch at offset 2: its CRC is wrong" in event.text
    assert not kennel.clean(NOW + 20_000)
    assert kennel.bases() == [0, 2, 4, 6, 8]


def test_a_topic_that_is_deleted_meanwhile_is_no_trouble(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    kennel.cleaner.poll(NOW)
    kennel.worker.take(2)
    kennel.logs.delete(DOGS)
    assert not kennel.clean()
    assert not kennel.cleaner.busy


def test_a_stop_leaves_nothing_half_done(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path)
    kennel.cleaner.poll(NOW)
    kennel.worker.take(6)
    kennel.cleaner.close()
    assert not list(tmp_path.glob("dogs-0/*.cleaned"))
    assert not kennel.logs.close()


def test_a_log_that_moves_to_another_directory_meanwhile_is_compacted_there(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path / "first", (tmp_path / "second",), segment_bytes=100)
    kennel.cleaner.poll(NOW)
    kennel.worker.take(1000)
    here = Path(kennel.log.directory).parent
    (other,) = {tmp_path / "first", tmp_path / "second"} - {here}
    kennel.logs.futures.begin(DOGS, str(other))
    while kennel.logs.futures.copy(DOGS, 1000):
        pass
    kennel.logs.futures.swap(DOGS)
    assert kennel.cleaner.poll(NOW) == []
    assert kennel.bases() == [0, 2, 4, 6]
    (event,) = kennel.clean(NOW + 20_000)
    assert event.text.startswith("compacted up to 6: 2 keys")
    assert [*(other / "dogs-0").glob("*.cleaned")] == []
    assert (other / "cleaner-offset-checkpoint").read_text() == "0\n1\ndogs 0 6\n"
