"""What becomes of appends: stored in the topic's codec; the disk fails between queue and file."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis07 import produce as produce07
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import at_once
from barnabas.broker.replicas.fetch_rows import Fetched, Read
from barnabas.broker.replicas.offset_lookup import find_offset
from barnabas.broker.replicas.own_batch import OwnBatch
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.reading import read_records
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import MAGIC_07, TODAYS_MAGIC, LogConfig
from barnabas.protocol.fetch import AbortedTransaction, FetchPartition
from barnabas.protocol.list_offsets import ListOffsetsPartition
from barnabas.protocol.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.recompression import StoredCodec
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.messages07.message07 import encode_message
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.types import Buffer, TopicPartition
from barnabas.wire.send import FileSlice
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

NO_TOPIC_ID = bytes(16)
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


def a_request(*records: tuple[str, int, memoryview], acks: int = 1) -> ProduceRequest:
    """Records for partitions of topics."""
    return ProduceRequest(
        acks=acks,
        timeout_ms=60_000,
        topic_data=[
            TopicProduceData(
                name=topic, partition_data=[PartitionProduceData(index=index, records=data)]
            )
            for topic, index, data in records
        ],
    )


def produce(*topics: str) -> ProduceRequest:
    now_ms = SystemClock().time_ms()
    return a_request(*((topic, 0, memoryview(make_batch(2, timestamp=now_ms))) for topic in topics))


def answers_of(response: ProduceResponse) -> list[PartitionProduceResponse]:
    """Those of all partitions, in their order."""
    return [one for topic in response.responses for one in topic.partition_responses]


def codes_of(response: ProduceResponse) -> list[int]:
    return [one.error_code for one in answers_of(response)]


def a_read(topic: str, offset: int = 0, index: int = 0) -> Read:
    asked = FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=1 << 20)
    return Read(topic, NO_TOPIC_ID, asked)


def read_bytes(replicas: ReplicaManager, topic: str, offset: int = 0) -> bytes:
    """What the log of a topic's first partition has from an offset on."""
    (got,) = replicas.read([a_read(topic, offset)], 1 << 20)
    records = got.data.records
    return records.read() if isinstance(records, FileSlice) else b""


def test_a_write_that_fails_turns_the_answers_of_its_log_and_takes_it_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replicas = replicas_of(tmp_path, "good", "bad")
    first = at_once(replicas.append(produce("good", "bad")))
    replicas.write()
    assert codes_of(first) == [ErrorCode.NONE, ErrorCode.NONE]

    real = RealFile.write

    def write(file: RealFile, position: int, buffers: Sequence[Buffer]) -> None:
        if "/bad/" in file.path:
            raise StorageError(f"cannot write {file.path}: No space left on device")
        real(file, position, buffers)

    monkeypatch.setattr(RealFile, "write", write)
    one, two = (
        at_once(replicas.append(produce("bad", "good"))),
        at_once(replicas.append(produce("bad"))),
    )
    assert codes_of(one) + codes_of(two) == [ErrorCode.NONE] * 3
    replicas.write()
    assert codes_of(one) + codes_of(two) == [OFFLINE, ErrorCode.NONE, OFFLINE]
    assert "No space left" in cast("str", answers_of(one)[0].error_message)

    monkeypatch.undo()
    later = at_once(replicas.append(produce("bad", "good")))
    replicas.write()
    assert codes_of(later) == [OFFLINE, ErrorCode.NONE]
    fetched = replicas.read([a_read("bad"), a_read("good")], 1 << 20)
    assert [got.data.error_code for got in fetched] == [OFFLINE, ErrorCode.NONE]


def test_a_full_disk_refuses_records_and_gives_those_it_has() -> None:
    disk, topic = MemoryDisk(), TopicPartition("t", 0)
    replicas = ReplicaManager(SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory()))
    log = open_log(disk, topic, "/t-0", LogConfig(segment_bytes=200))
    replicas.lead(log, 0)

    def answers() -> list[int]:
        """Of three requests at once, for the second of which a segment is begun."""
        given = [at_once(replicas.append(produce("t"))) for _ in range(3)]
        replicas.write()
        return [code for one in given for code in codes_of(one)]

    assert answers() == [ErrorCode.NONE] * 3
    disk.is_full = True
    assert answers() == [OFFLINE] * 3
    assert answers() == [OFFLINE] * 3
    assert log.failure is None
    (got,) = replicas.read([a_read("t", 4)], 1 << 20)
    assert (got.data.error_code, got.data.high_watermark) == (ErrorCode.NONE, 6)
    assert [header.base_offset for header in walk(read_bytes(replicas, "t", 4))] == [4]
    disk.is_full = False
    log.refusal = None
    assert answers() == [ErrorCode.NONE] * 3
    assert log.written_end == 12


@pytest.mark.parametrize("codec", Codec)
def test_batches_are_stored_in_the_codec_of_their_topic(tmp_path: Path, codec: Codec) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    partition.log.configure(LogConfig(stored=StoredCodec(codec)))
    for base in (0, 2):
        (answer,) = answers_of(at_once(replicas.append(produce("t"))))
        replicas.write()
        assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, base)
    data = read_bytes(replicas, "t")
    assert [header.codec for header in walk(data)] == [codec, codec]
    records, next_offset = decode_records(data, "t", 0)
    assert [one.offset for one in records] == list(range(4))
    assert next_offset == 4


def test_what_a_log_cannot_hold_of_the_brokers_own_is_not_stored(tmp_path: Path) -> None:
    """Records of coordinators have keys; messages of Kafka 0.7 have none."""
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    partition = replicas.find("t", 0)
    assert partition is not None
    notified: list[ErrorCode] = []
    replicas.gathering(partition).add([CoordinatorRecord(b"key", b"value")], notified.append)
    replicas.write()
    assert notified == [OFFLINE]
    assert partition.log.written_end == 0


def test_what_is_written_and_does_not_count_yet_is_waited_for() -> None:
    disk, topic = MemoryDisk(), TopicPartition("t", 0)
    replicas = ReplicaManager(SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory()))
    partition = replicas.lead(open_log(disk, topic, "/t-0", LogConfig(flush_messages=1)), 0)
    notified: list[ErrorCode] = []
    replicas.gathering(partition).add([CoordinatorRecord(b"key", b"value")], notified.append)
    replicas.write()
    assert not replicas.is_written(partition)
    assert replicas.join_own(partition, notified.append)
    assert notified == []
    disk.end_syncs()
    assert replicas.is_written(partition)
    assert notified == [ErrorCode.NONE] * 2


def test_what_the_broker_decides_before_a_write_is_one_batch_in_its_order(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    notified: list[str] = []

    def decide(*keys: bytes) -> None:
        records = [CoordinatorRecord(key, None) for key in keys]
        replicas.gathering(partition).add(
            records, lambda code: notified.append(f"{keys} {code.name}")
        )

    assert replicas.is_written(partition)
    decide(b"a", b"b")
    assert not replicas.is_written(partition)
    decide(b"c")
    of_its_own = OwnBatch(1)
    of_its_own.add([CoordinatorRecord(b"d", None)], lambda code: notified.append(f"d {code.name}"))
    replicas.append_own(partition, of_its_own.build((7, 0)), of_its_own.tell)
    assert not replicas.is_written(partition)
    decide(b"e")
    assert replicas.join_own(partition, lambda code: notified.append(f"joined {code.name}"))
    assert notified == []
    replicas.write()
    assert notified == [
        "(b'a', b'b') NONE",
        "(b'c',) NONE",
        "d NONE",
        "(b'e',) NONE",
        "joined NONE",
    ]
    assert replicas.is_written(partition)
    assert not replicas.join_own(partition, lambda _code: notified.append("late"))
    headers = list(walk(read_bytes(replicas, "t")))
    assert [(one.count, one.transactional) for one in headers] == [
        (3, False),
        (1, True),
        (1, False),
    ]


def test_what_the_broker_decides_is_compressed_where_that_is_wanted(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t")
    partition = replicas.find("t", 0)
    assert partition is not None
    notified: list[ErrorCode] = []
    for codec in Codec:
        record = CoordinatorRecord(codec.name.encode(), bytes(1000))
        replicas.gathering(partition, codec).add([record], notified.append)
        replicas.write()
        of_its_own = OwnBatch(1, codec)
        of_its_own.add([record], notified.append)
        replicas.append_own(partition, of_its_own.build((7, 0)), of_its_own.tell)
        replicas.write()
    assert notified == [ErrorCode.NONE] * 10
    data = read_bytes(replicas, "t")
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
    notified: list[ErrorCode] = []
    for _ in range(3):
        replicas.gathering(partition).add([CoordinatorRecord(b"k", bytes(40_000))], notified.append)
    replicas.write()
    assert notified == [ErrorCode.NONE] * 3
    assert [one.count for one in walk(read_bytes(replicas, "t"))] == [2, 1]


def test_who_waits_for_more_replicas_keeps_nothing_of_what_was_sent(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    parts = SimpleNamespace(
        replicas=replicas,
        purgatory=Purgatory(ManualTimers(), lambda: 0.0, some_memory()),
        topics={"t": "there"},
    )
    received = bytearray(encode_message(b"hello"))
    asked = a_request(("t", 0, memoryview(received)), acks=2)
    of_the_proposal = cast("RequestContext", SimpleNamespace(api_version=0))
    outcome = produce07.handle(cast("Broker", parts), of_the_proposal, asked)
    assert isinstance(outcome, Pending)
    replicas.write()
    # With a view of it left it could not be resized.
    received.clear()


def test_each_partition_gets_its_turn_where_an_answer_has_no_room_for_all(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(5)]
    replicas = replicas_of(tmp_path, *names)
    at_once(replicas.append(produce(*names)))
    replicas.write()
    reads = [a_read(name) for name in names]
    room_for_two = 2 * len(read_bytes(replicas, names[0]))
    given = []
    for _ in range(5):
        fetched = replicas.read_each(reads, room_for_two)
        assert [one.topic for one in fetched] == names
        given += [one.topic for one in fetched if one.data.records]
    assert sorted(given) == sorted(2 * names)


def test_a_response_lists_so_many_aborted_transactions_and_then_gives_no_more_records(
    tmp_path: Path,
) -> None:
    """One partition, named 400 times, once held up all others for 100 s."""
    replicas = replicas_of(tmp_path, "dogs")
    slow: list[str] = []
    replicas.on_slow = lambda: slow.append("slow")
    at_once(replicas.append(produce("dogs")))
    replicas.write()
    aborted = [AbortedTransaction(producer_id=one, first_offset=0) for one in range(900)]

    def read_one(partition: Partition, read: Read, max_bytes: int, /, *, min_one: bool) -> Fetched:
        got = read_records(partition, read, max_bytes, min_one=min_one)
        got.data.aborted_transactions = aborted if got.data.records else []
        return got

    read = a_read("dogs")
    assert not slow
    for count, given, is_slow in ((1, 1, False), (2, 2, True), (400, 6, True)):
        slow.clear()
        fetched = replicas.read([read] * count, 1 << 20, read_one=read_one)
        assert sum(bool(one.data.records) for one in fetched) == given
        assert bool(slow) == is_slow


def test_only_coordinators_and_repairs_write_into_internal_topics(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "__consumer_offsets", "dogs")
    both = produce("__consumer_offsets", "dogs")
    assert codes_of(at_once(replicas.append(both))) == [
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.NONE,
    ]
    repaired = at_once(replicas.append(produce("__consumer_offsets"), to_internal=True))
    assert codes_of(repaired) == [ErrorCode.NONE]


def test_of_thousands_of_partitions_some_hundreds_give_something_at_a_time(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "full", "empty")
    at_once(replicas.append(produce("full")))
    replicas.write()
    full, empty = a_read("full"), a_read("empty")
    given = [bool(one.data.records) for one in replicas.read_each([full] * 2000, 1 << 20)]
    assert 256 <= sum(given) < 300
    given = [bool(one.data.records) for one in replicas.read_each([empty] * 2000 + [full], 9)]
    assert sum(given) == 1


def test_messages_of_kafka_07_have_no_newest_time(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "t", magic=MAGIC_07)
    partition = replicas.find("t", 0)
    assert partition is not None
    replicas.append_messages(partition, memoryview(encode_message(b"a")))
    replicas.write()
    found = find_offset(partition, ListOffsetsPartition(partition_index=0, timestamp=-3))
    assert (found.error_code, found.offset) == (ErrorCode.NONE, -1)


def test_behind_a_batch_that_unpacks_much_the_next_goes_the_ordinary_way(tmp_path: Path) -> None:
    replicas = replicas_of(tmp_path, "dogs")
    slow: list[None] = []
    replicas.on_slow = lambda: slow.append(None)
    partition = replicas.find("dogs", 0)
    assert partition is not None
    builder = BatchBuilder(Codec.GZIP, 8 << 20)
    builder.append(1_000, None, bytes(4 << 20), ())
    much = bytes(builder.build())

    def one(batch: bytearray) -> object | None:
        return replicas.append_one(partition, memoryview(batch), highest_codec=HIGHEST_CODEC)

    assert one(make_batch(1)) is not None
    assert not slow
    assert one(bytearray(much)) is not None
    assert len(slow) == 1
    # It is not even looked at: whether it has to wait is decided where it is read.
    assert one(bytearray(much)) is None
    assert codes_of(
        at_once(replicas.append(a_request(("dogs", 0, memoryview(make_batch(1))))))
    ) == [ErrorCode.NONE]
    assert one(make_batch(1)) is not None
    replicas.write()
    assert partition.log.end_offset == 4
