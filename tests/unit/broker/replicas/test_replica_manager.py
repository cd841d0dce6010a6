"""What becomes of appends: stored in the topic's codec; the disk fails between queue and file."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis07 import produce as produce07
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.purgatory import Pending, Purgatory
from barnabas.broker.replicas.own_batch import OwnBatch
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.dialects.commands import Append, Lookup, Produce, Read
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import MAGIC_07, TODAYS_MAGIC, LogConfig
from barnabas.records.batches.batch import walk
from barnabas.records.batches.recompression import Stored
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.messages07.message07 import encode_message
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.types import Buffer, TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

NO_ID = bytes(16)
OFFLINE = ErrorCode.KAFKA_STORAGE_ERROR

pytestmark = pytest.mark.kernels


def replicas_of(path: Path, *topics: str, magic: int = TODAYS_MAGIC) -> ReplicaManager:
    replicas = ReplicaManager(SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory()))
    for topic in topics:
        directory = path / topic
        directory.mkdir()
        config = LogConfig(magic=magic)
        log = open_log(RealDisk(), TopicPartition(topic, 0), str(directory), config)
        log.topic_id = topic.encode().ljust(16)
        replicas.lead(log, 0)
    return replicas


def produce(*topics: str) -> Produce:
    now_ms = SystemClock().time_ms()
    return Produce(
        acks=1,
        timeout_ms=1000,
        transactional_id=None,
        zstd=True,
        appends=[
            Append(topic, NO_ID, 0, memoryview(make_batch(2, timestamp=now_ms))) for topic in topics
        ],
    )


def test_a_write_that_fails_turns_the_answers_of_its_log_and_takes_it_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replicas = replicas_of(tmp_path, "good", "bad")
    first = replicas.append(produce("good", "bad"))
    replicas.write()
    assert [answer.error for answer in first] == [ErrorCode.NONE, ErrorCode.NONE]

    real = RealFile.write

    def write(file: RealFile, position: int, buffers: Sequence[Buffer]) -> None:
        if "/bad/" in file.path:
            raise StorageError(f"cannot write {file.path}: No space left on device")
        real(file, position, buffers)

    monkeypatch.setattr(RealFile, "write", write)
    one, two = replicas.append(produce("bad", "good")), replicas.append(produce("bad"))
    assert [answer.error for answer in (*one, *two)] == [ErrorCode.NONE] * 3
    replicas.write()
    assert [answer.error for answer in (*one, *two)] == [OFFLINE, ErrorCode.NONE, OFFLINE]
    assert "No space left" in cast("str", one[0].message)

    monkeypatch.undo()
    later = replicas.append(produce("bad", "good"))
    replicas.write()
    assert [answer.error for answer in later] == [OFFLINE, ErrorCode.NONE]
    reads = [Read(topic, NO_ID, 0, 0, 1 << 20) for topic in ("bad", "good")]
    assert [got.error for got in replicas.read(reads, 1 << 20)] == [OFFLINE, ErrorCode.NONE]


def test_a_full_disk_refuses_records_and_gives_those_it_has() -> None:
    disk, topic = MemoryDisk(), TopicPartition("t", 0)
    replicas = ReplicaManager(SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory()))
    log = open_log(disk, topic, "/t-0", LogConfig(segment_bytes=200))
    replicas.lead(log, 0)

    def answers() -> list[ErrorCode]:
        """Of three requests at once, for the second of which a segment is begun."""
        given = [replicas.append(produce("t")) for _ in range(3)]
        replicas.write()
        return [answer.error for (answer,) in given]

    assert answers() == [ErrorCode.NONE] * 3
    disk.is_full = True
    assert answers() == [OFFLINE] * 3
    assert answers() == [OFFLINE] * 3
    assert log.failure is None
    (got,) = replicas.read([Read("t", NO_ID, 0, 4, 1 << 20)], 1 << 20)
    assert (got.error, got.high_watermark) == (ErrorCode.NONE, 6)
    assert got.records is not None
    assert [header.base_offset for header in walk(got.records.read())] == [4]
    disk.is_full = False
    log.refusal = None
    assert answers() == [ErrorCode.NONE] * 3
    assert log.written_end == 12


@pytest.mark.parametrize("codec", Codec)
def test_batches_are_stored_in_the_codec_of_their_topic(tmp_path: Path, codec: Codec) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    partition.log.configure(LogConfig(stored=Stored(codec)))
    for base in (0, 2):
        (answer,) = replicas.append(produce("t"))
        replicas.write()
        assert (answer.error, answer.base_offset) == (ErrorCode.NONE, base)
    (got,) = replicas.read([Read("t", NO_ID, 0, 0, 1 << 20)], 1 << 20)
    assert got.records is not None
    data = got.records.read()
    assert [header.codec for header in walk(data)] == [codec, codec]
    records, next_offset = decode_records(data, "t", 0)
    assert [one.offset for one in records] == list(range(4))
    assert next_offset == 4


def test_what_a_log_cannot_hold_of_the_brokers_own_is_not_stored(tmp_path: Path) -> None:
    """Records of coordinators have keys; messages of Kafka 0.7 have none."""
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    partition = replicas.find("t", 0)
    assert partition is not None
    told: list[ErrorCode] = []
    replicas.gathering(partition).add([CoordinatorRecord(b"key", b"value")], told.append)
    replicas.write()
    assert told == [OFFLINE]
    assert partition.log.written_end == 0


def test_what_is_written_and_does_not_count_yet_is_waited_for() -> None:
    disk, topic = MemoryDisk(), TopicPartition("t", 0)
    replicas = ReplicaManager(SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory()))
    partition = replicas.lead(open_log(disk, topic, "/t-0", LogConfig(flush_messages=1)), 0)
    told: list[ErrorCode] = []
    replicas.gathering(partition).add([CoordinatorRecord(b"key", b"value")], told.append)
    replicas.write()
    assert not replicas.is_written(partition)
    assert replicas.join_own(partition, told.append)
    assert told == []
    disk.end_syncs()
    assert replicas.is_written(partition)
    assert told == [ErrorCode.NONE] * 2


def test_what_the_broker_decides_before_a_write_is_one_batch_in_its_order(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    told: list[str] = []

    def decide(*keys: bytes) -> None:
        records = [CoordinatorRecord(key, None) for key in keys]
        replicas.gathering(partition).add(records, lambda code: told.append(f"{keys} {code.name}"))

    assert replicas.is_written(partition)
    decide(b"a", b"b")
    assert not replicas.is_written(partition)
    decide(b"c")
    of_its_own = OwnBatch(1)
    of_its_own.add([CoordinatorRecord(b"d", None)], lambda code: told.append(f"d {code.name}"))
    replicas.append_own(partition, of_its_own.build((7, 0)), of_its_own.tell)
    assert not replicas.is_written(partition)
    decide(b"e")
    assert replicas.join_own(partition, lambda code: told.append(f"joined {code.name}"))
    assert told == []
    replicas.write()
    assert told == ["(b'a', b'b') NONE", "(b'c',) NONE", "d NONE", "(b'e',) NONE", "joined NONE"]
    assert replicas.is_written(partition)
    assert not replicas.join_own(partition, lambda _code: told.append("late"))
    (got,) = replicas.read([Read("t", NO_ID, 0, 0, 1 << 20)], 1 << 20)
    assert got.records is not None
    headers = list(walk(got.records.read()))
    assert [(one.count, one.transactional) for one in headers] == [
        (3, False),
        (1, True),
        (1, False),
    ]


def test_what_the_broker_decides_is_compressed_where_that_is_wanted(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    told: list[ErrorCode] = []
    for codec in Codec:
        record = CoordinatorRecord(codec.name.encode(), bytes(1000))
        replicas.gathering(partition, codec).add([record], told.append)
        replicas.write()
        of_its_own = OwnBatch(1, codec)
        of_its_own.add([record], told.append)
        replicas.append_own(partition, of_its_own.build((7, 0)), of_its_own.tell)
        replicas.write()
    assert told == [ErrorCode.NONE] * 10
    (got,) = replicas.read([Read("t", NO_ID, 0, 0, 1 << 20)], 1 << 20)
    assert got.records is not None
    data = got.records.read()
    assert [one.codec for one in walk(data)] == [codec for codec in Codec for _ in range(2)]
    records, next_offset = decode_records(data, "t", 0)
    assert [one.key for one in records] == [
        codec.name.encode() for codec in Codec for _ in range(2)
    ]
    assert next_offset == 10


def test_what_is_decided_behind_a_large_batch_is_in_another(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    told: list[ErrorCode] = []
    for _ in range(3):
        replicas.gathering(partition).add([CoordinatorRecord(b"k", bytes(40_000))], told.append)
    replicas.write()
    assert told == [ErrorCode.NONE] * 3
    (got,) = replicas.read([Read("t", NO_ID, 0, 0, 1 << 20)], 1 << 20)
    assert got.records is not None
    assert [one.count for one in walk(got.records.read())] == [2, 1]


def test_who_waits_for_more_replicas_keeps_nothing_of_what_was_sent(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    parts = SimpleNamespace(
        replicas=replicas, purgatory=Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    )
    received = bytearray(encode_message(b"hello"))
    appends = [Append("t", NO_ID, 0, memoryview(received))]
    asked = Produce(2, 60_000, None, zstd=False, appends=appends)
    of_the_proposal = cast("RequestContext", SimpleNamespace(api_version=0))
    outcome = produce07.handle(cast("Broker", parts), of_the_proposal, asked)
    assert isinstance(outcome, Pending)
    replicas.write()
    # With a view of it left it could not be resized.
    received.clear()


def test_each_partition_gets_its_turn_where_an_answer_has_no_room_for_all(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(5)]
    replicas = replicas_of(tmp_path, *names)
    replicas.append(produce(*names))
    replicas.write()
    reads = [Read(name, NO_ID, 0, 0, 1 << 20) for name in names]
    (one,) = replicas.read(reads[:1], 1 << 20)
    assert one.records is not None
    room_for_two = 2 * one.records.size
    given = []
    for _ in range(5):
        fetched = replicas.read_each(reads, room_for_two)
        assert [one.topic for one in fetched] == names
        given += [one.topic for one in fetched if one.records is not None]
    assert sorted(given) == sorted(2 * names)


def test_only_coordinators_and_repairs_write_into_internal_topics(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "__consumer_offsets", "dogs")
    both = produce("__consumer_offsets", "dogs")
    assert [one.error for one in replicas.append(both)] == [
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.NONE,
    ]
    repaired = replicas.append(produce("__consumer_offsets"), to_internal=True)
    assert [one.error for one in repaired] == [ErrorCode.NONE]


def test_of_thousands_of_partitions_some_hundreds_give_something_at_a_time(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "full", "empty")
    replicas.append(produce("full"))
    replicas.write()
    full, empty = (Read(name, NO_ID, 0, 0, 1 << 20) for name in ("full", "empty"))
    given = [one.records is not None for one in replicas.read_each([full] * 2000, 1 << 20)]
    assert 256 <= sum(given) < 300
    given = [one.records is not None for one in replicas.read_each([empty] * 2000 + [full], 9)]
    assert sum(given) == 1


def test_messages_of_kafka_07_have_no_newest_time(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    partition = replicas.find("t", 0)
    assert partition is not None
    replicas.append_messages(partition, memoryview(encode_message(b"a")))
    replicas.write()
    found = partition.find_offset(Lookup("t", 0, -1, -3))
    assert (found.error, found.offset) == (ErrorCode.NONE, -1)
