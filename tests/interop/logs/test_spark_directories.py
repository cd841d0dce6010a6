"""The directory of a real Kafka 4.3, while it runs and after it was killed, read by `barnabas-log`.

What librdkafka consumes from the broker is compared with what tasks read from its files.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.unit.spark.directories.log_files import Row, committed, read, reader, tasks

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.timeout(600)]

PARTITIONS = 2
SEGMENT = {"segment.bytes": str(1 << 20), "retention.ms": "-1"}
COMPACTED = {
    **SEGMENT,
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "min.compaction.lag.ms": "0",
}
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SECONDS = 60.0
Seen = tuple[int, int, int, bytes | None, bytes | None]


@pytest.fixture(scope="module")
def kafka() -> Iterator[RealKafka]:
    with RealKafka(properties={"log.cleaner.backoff.ms": "100"}) as running:
        yield running


def create(kafka: RealKafka, name: str, config: dict[str, str]) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    (done,) = admin.create_topics([NewTopic(name, PARTITIONS, 1, config=config)]).values()
    done.result(SECONDS)


def producer(kafka: RealKafka, **properties: object) -> Producer:
    quiet = {"log_level"}
    named = {
        name if name in quiet else name.replace("_", "."): value
        for name, value in properties.items()
    }
    return Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 20, **named})


def send(each: Producer, topic: str, numbers: range) -> None:
    for number in numbers:
        key, value = b"%d" % (number % 500), b"%d " % number * 20
        each.produce(topic, value, key, number % PARTITIONS, timestamp=10**12 + number)
        each.poll(0)
    assert each.flush(SECONDS) == 0


def consumed(kafka: RealKafka, topic: str, isolation: str) -> list[Seen]:
    """What librdkafka gets, up to the end of each partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": "none",
            "isolation.level": isolation,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, place, 0) for place in range(PARTITIONS)])
    found: list[Seen] = []
    ended: set[int] = set()
    while len(ended) < PARTITIONS:
        each = consumer.poll(SECONDS)
        assert each is not None, f"nothing came for {SECONDS:.0f} s"
        if each.error() is None:
            time = each.timestamp()[1]
            found.append((each.partition(), each.offset(), time, each.key(), each.value()))
        else:
            assert each.error().code() == KafkaError._PARTITION_EOF, each.error()
            ended.add(each.partition())
    consumer.close()
    return sorted(found)


def seen(rows: list[Row]) -> list[Seen]:
    def time(row: Row) -> Any:
        return round(row["timestamp"].timestamp() * 1000)

    return sorted(
        (row["partition"], row["offset"], time(row), row["key"], row["value"]) for row in rows
    )


@pytest.fixture(scope="module")
def mixed(kafka: RealKafka) -> str:
    """Every codec, transactions that commit and abort among plain records, one left open at the end."""
    create(kafka, "mixed", SEGMENT)
    numbers = (range(at, at + 400) for at in count(0, 400))
    transactional = producer(kafka, transactional_id="t", compression_type="lz4")
    transactional.init_transactions(SECONDS)
    for turn in range(40):
        send(producer(kafka, compression_type=CODECS[turn % 5]), "mixed", next(numbers))
        transactional.begin_transaction()
        send(transactional, "mixed", next(numbers))
        if turn % 3:
            transactional.commit_transaction(SECONDS)
        else:
            transactional.abort_transaction(SECONDS)
    # It goes on trying to connect when its broker is killed, and would log each attempt.
    left_open = producer(
        kafka, transactional_id="open", transaction_timeout_ms=900_000, log_level=2
    )
    left_open.init_transactions(SECONDS)
    left_open.begin_transaction()
    send(left_open, "mixed", next(numbers))
    send(producer(kafka), "mixed", next(numbers))
    # It would abort its transaction when it goes.
    _OPEN.append(left_open)
    return "mixed"


_OPEN: list[Producer] = []
WAYS: list[dict[str, int]] = [{}, {"splitBytes": 100_000, "fetchBytes": 50_000}]


@pytest.mark.parametrize("way", WAYS)
def test_all_records_while_it_runs(kafka: RealKafka, mixed: str, way: dict[str, int]) -> None:
    expected = consumed(kafka, mixed, "read_uncommitted")
    each = reader(kafka.data_dir, subscribe=mixed, **way)
    assert len(tasks(each)) > PARTITIONS
    assert seen(read(each)) == expected


@pytest.mark.parametrize("way", WAYS)
def test_committed_records_while_it_runs(kafka: RealKafka, mixed: str, way: dict[str, int]) -> None:
    """The same up to the open transaction; behind it plain records, which a broker holds back."""
    expected = consumed(kafka, mixed, "read_committed")
    rows = seen(committed(kafka.data_dir, subscribe=mixed, **way))
    stable = {place: max(row[1] for row in expected if row[0] == place) for place in (0, 1)}
    assert [row for row in rows if row[1] <= stable[row[0]]] == expected
    behind = [row for row in rows if row[1] > stable[row[0]]]
    assert len(behind) == 400
    everything = consumed(kafka, mixed, "read_uncommitted")
    assert {row[4] for row in behind} == {
        row[4] for row in sorted(everything, key=lambda row: row[2])[-400:]
    }


def test_times(kafka: RealKafka, mixed: str) -> None:
    """A start by time is where the broker says that it is."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "times"})
    for number in (1, 4321, 20_000):
        time = 10**12 + number
        asked = [TopicPartition(mixed, place, time) for place in range(PARTITIONS)]
        starts = {each.partition: each.offset for each in consumer.offsets_for_times(asked)}
        found = tasks(reader(kafka.data_dir, subscribe=mixed, startingTimestamp=time))
        assert starts == {
            place: min(task.start for task in found if task.partition == place) for place in (0, 1)
        }
    consumer.close()


def test_a_compacted_topic(kafka: RealKafka) -> None:
    create(kafka, "latest", COMPACTED)
    sender = producer(kafka)
    total = 0
    # The cleaner leaves the newest segment alone, so there must be several.
    while not _is_compacted(kafka.data_dir):
        send(sender, "latest", range(total, total + 4000))
        total += 4000
    with kafka.down() as path:
        rows = seen(read(reader(path, subscribe="latest", splitBytes=100_000)))
        # It would go on, and the broker give less than was read.
        with (kafka.folder / "server.properties").open("a") as properties:
            properties.write("\nlog.cleaner.enable=false\n")
    assert rows == consumed(kafka, "latest", "read_uncommitted")
    assert 500 < len(rows) < total


def _is_compacted(path: Path) -> bool:
    """Whether the first segment of a partition is smaller than any that was rolled."""
    first = path / "latest-0" / f"{0:020d}.log"
    try:
        return len(list(first.parent.glob("*.log"))) > 1 and first.stat().st_size < 1 << 19
    except FileNotFoundError:  # The cleaner is about to put its result in this place.
        return False


def test_after_a_kill_with_a_torn_batch(kafka: RealKafka, mixed: str) -> None:
    """Its last batch is cut off: all others are read, with indexes that nobody has cut."""
    expected = consumed(kafka, mixed, "read_uncommitted")
    kafka.child.kill()
    files = sorted((kafka.data_dir / f"{mixed}-0").glob("*.log"))
    with files[-1].open("r+b") as file:
        file.truncate(files[-1].stat().st_size - 7)
    rows = seen(read(reader(kafka.data_dir, subscribe=mixed, splitBytes=100_000)))
    lost = len(expected) - len(rows)
    assert 0 < lost <= 200
    assert rows == [
        row
        for row in expected
        if row[0] == 1 or row[1] <= max(each[1] for each in rows if each[0] == 0)
    ]
