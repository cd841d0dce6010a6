"""Topics for tests, made and filled by a client that is not ours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic, OffsetSpec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.readwriter import DataFrameReader
from pyspark.sql.streaming.readwriter import DataStreamReader

Headers = Sequence[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Given:
    """A record to produce."""

    value: bytes | None = b""
    key: bytes | None = None
    partition: int = 0
    timestamp_ms: int = 0
    headers: Headers = ()


class Topics:
    """Creates, fills, reads and deletes topics of one broker."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self.prefix = "t"
        self._count = 0
        self._admin = AdminClient({"bootstrap.servers": servers})
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})

    def create(self, partitions: int = 1, *, name: str | None = None) -> str:
        """Create a topic that keeps its records, whatever their times; its name is new unless given."""
        self._count += 1
        name = name or f"{self.prefix}-{self._count}"
        wanted = NewTopic(name, partitions, 1, config={"retention.ms": "-1"})
        (made,) = self._admin.create_topics([wanted]).values()
        made.result(20)
        return name

    def grow(self, topic: str, partitions: int) -> None:
        """Add partitions up to a number."""
        (done,) = self._admin.create_partitions([NewPartitions(topic, partitions)]).values()
        done.result(20)
        # The old producer would learn of them only minutes later.
        self._producer = Producer({"bootstrap.servers": self.servers, "linger.ms": 0})

    def names(self) -> set[str]:
        """All topics there are."""
        return set(self._admin.list_topics(timeout=20).topics)

    def delete(self, topic: str) -> None:
        (done,) = self._admin.delete_topics([topic]).values()
        done.result(20)

    def delete_before(self, topic: str, offset: int) -> None:
        """What retention does: the records before `offset` of partition 0 are gone."""
        (done,) = self._admin.delete_records([TopicPartition(topic, 0, offset)]).values()
        done.result(20)

    def send(self, topic: str, records: Iterable[Given]) -> None:
        """Produce and wait for all acknowledgements."""
        failed: list[KafkaError] = []

        def done(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                failed.append(error)

        for each in records:
            self._producer.produce(
                topic,
                each.value,
                each.key,
                each.partition,
                on_delivery=done,
                timestamp=each.timestamp_ms,
                headers=list(each.headers),
            )
        assert self._producer.flush(30) == 0
        assert not failed, failed

    def send_numbers(self, topic: str, numbers: Iterable[int], *, partitions: int = 1) -> None:
        """One record for each number, as text, spread over the partitions."""
        self.send(topic, (Given(b"%d" % each, partition=each % partitions) for each in numbers))

    def end(self, topic: str, partition: int) -> int:
        """Where a partition ends, whether what is there counts or not."""
        place = TopicPartition(topic, partition)
        (found,) = self._admin.list_offsets({place: OffsetSpec.latest()}).values()
        return int(found.result(20).offset)

    def all_of(self, topic: str) -> list[Message]:
        """All records of a topic, by partition and offset."""
        consumer = Consumer(
            {"bootstrap.servers": self.servers, "group.id": "unused", "enable.auto.commit": False}
        )
        found: list[Message] = []
        for partition in consumer.list_topics(topic, 20).topics[topic].partitions:
            where = TopicPartition(topic, partition)
            low, high = consumer.get_watermark_offsets(where, 20)
            consumer.assign([TopicPartition(topic, partition, low)])
            wanted = len(found) + high - low
            while len(found) < wanted:
                message = consumer.poll(20)
                assert message is not None, f"{topic}-{partition} gave no more records"
                assert message.error() is None, message.error()
                found.append(message)
        consumer.close()
        return found

    def committed(self, topic: str) -> list[Message]:
        """What readers of committed records see, once all is decided.

        A transaction is over before its markers are written, up to which others may read.
        """
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": "unused",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
            }
        )
        partitions = consumer.list_topics(topic, 20).topics[topic].partitions
        places = [TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions]
        left = {each.partition: self.end(topic, each.partition) for each in places}
        consumer.assign(places)
        found: list[Message] = []
        while left:
            message = consumer.poll(20)
            assert message is not None, f"not decided up to {left}"
            if message.error() is None:
                found.append(message)
            elif (message.offset() or 0) >= left.get(message.partition() or 0, 0):
                left.pop(message.partition() or 0, None)
        consumer.close()
        return found

    def reader(self, spark: SparkSession, topic: str, **options: object) -> DataFrameReader:
        """A batch reader of our format; options as keywords, dots as in `kafka_x` not needed."""
        reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", self.servers)
        return reader.options(subscribe=topic, **options)  # type: ignore[arg-type]

    def stream(self, spark: SparkSession, topic: str, **options: object) -> DataStreamReader:
        """A streaming reader of our format."""
        reader = spark.readStream.format("barnabas").option("kafka.bootstrap.servers", self.servers)
        return reader.options(subscribe=topic, **options)  # type: ignore[arg-type]

    def batch(self, spark: SparkSession, topic: str, **options: object) -> DataFrame:
        """A DataFrame of a topic."""
        return self.reader(spark, topic, **options).load()
