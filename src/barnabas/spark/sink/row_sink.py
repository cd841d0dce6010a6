"""Write the rows of one task, with either guarantee."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql.datasource import WriterCommitMessage

from barnabas.client.sync.producer import Producer
from barnabas.spark.errors import WriteRefused, writing
from barnabas.spark.options.write_options import WriteOptions
from barnabas.spark.sink.client_cache import kept_producer
from barnabas.spark.sink.row_layout import RowLayout

TOGETHER: Final = 1 << 20
"""Bytes of rows that are sent together. Spark passes a thousand rows at a time; each call takes 0.3 ms."""


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """The message of a task whose records are all acknowledged."""

    rows: int


@dataclass(frozen=True, slots=True)
class RowSink:
    """Sends rows as records. Pickled into tasks; has no connection."""

    options: WriteOptions
    layout: RowLayout

    def write(self, batches: Iterator[Any]) -> Written:
        """Send all rows of `batches` (`pyarrow.RecordBatch`es) and wait until all are acknowledged.

        Raises:
            WriteRefused: a row has no topic, or records were not accepted; some of the task's rows
                may have been written.
            Unreachable: no broker could be reached.
        """
        with writing(), kept_producer(self.options.kafka) as producer:
            rows = self.send(producer, batches)
            producer.flush()
        return Written(rows)

    def send(self, producer: Producer, batches: Iterator[Any]) -> int:
        """Queue all rows; return their number.

        Raises:
            WriteRefused: a row has no topic, a negative partition, or a header without a key.
            KafkaError: as `Producer.send_arrow`.
        """
        import pyarrow as pa

        rows = 0
        partition = "partition" if "partition" in self.layout.columns else None
        for batch in joined(batches):
            rows += batch.num_rows
            if partition is not None:
                _check_partitions(batch.column(partition))
            for topic, part in self._by_topic(batch):
                try:
                    producer.send_arrow(topic, part, partition=partition)
                except pa.ArrowInvalid as error:
                    raise WriteRefused(f"a row of {topic} cannot be a record: {error}") from None
        return rows

    def _by_topic(self, batch: Any) -> Iterator[tuple[str, Any]]:
        """Split a batch by topic; rows of one topic stay in order."""
        import pyarrow.compute as pc

        if not batch.num_rows:
            return
        fields = batch.select([name for name in self.layout.columns if name != "topic"])
        if self.layout.topic is not None:
            yield self.layout.topic, fields
            return
        topics = batch.column("topic")
        if topics.null_count:
            raise WriteRefused(
                "null topic in the data; set option 'topic', or fill the column 'topic'"
            )
        names = topics.unique()
        for name in names:
            same = fields if len(names) == 1 else fields.filter(pc.equal(topics, name))
            yield name.as_py(), same


def _check_partitions(column: Any) -> None:
    """Refuse the partitions that Java's producer refuses, including -1, which means any to `Producer`."""
    import pyarrow.compute as pc

    lowest = pc.min(column).as_py()
    if lowest is not None and lowest < 0:
        raise WriteRefused(
            f"there is no partition {lowest}: a column 'partition' has numbers from 0 on, or null "
            "where the key decides"
        )


def joined(batches: Iterator[Any]) -> Iterator[Any]:
    """Join `pyarrow.RecordBatch`es, in order, into batches of at least `TOGETHER` bytes.

    The last one may be smaller. Batches that are large enough are not copied.
    """
    held: list[Any] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= TOGETHER:
            yield from _as_one(held)
            held, size = [], 0
    yield from _as_one(held)


def _as_one(batches: list[Any]) -> list[Any]:
    import pyarrow as pa

    if len(batches) < 2:
        return batches
    return list(pa.Table.from_batches(batches).combine_chunks().to_batches())
