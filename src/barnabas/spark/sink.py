"""Writing: each task sends its rows with an idempotent producer and waits for every answer.

At least once, as Spark's own sink: a task that is tried again writes its rows again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)

from barnabas.spark.errors import WriteRefused, writing
from barnabas.spark.kept_producer import kept_producer
from barnabas.spark.row_layout import RowLayout
from barnabas.spark.worker_process import THIS_WORKER
from barnabas.spark.write_options import WriteOptions


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """What a task says when all its records are acknowledged."""

    rows: int


@dataclass(frozen=True, slots=True)
class RowSink:
    """What every task of a query does. Pickled into tasks; holds no connection."""

    options: WriteOptions
    layout: RowLayout

    def write(self, batches: Iterator[Any]) -> Written:
        """Send all rows of `batches` (`pyarrow.RecordBatch`es) and wait until all are acknowledged.

        Raises:
            WriteRefused: a row has no topic, or records were not accepted; some of the task's rows
                may have been written.
            Unreachable: no broker could be reached.
        """
        THIS_WORKER.begin_task()
        rows = 0
        partition = "partition" if "partition" in self.layout.columns else None
        with writing(), kept_producer(self.options.kafka) as producer:
            for batch in batches:
                rows += batch.num_rows
                for topic, part in self._by_topic(batch):
                    producer.send_arrow(topic, part, partition=partition)
            producer.flush()
        return Written(rows)

    def _by_topic(self, batch: Any) -> Iterator[tuple[str, Any]]:
        """Cut a batch into one for each topic; the order of rows within a topic stays."""
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


class BatchWriter(DataSourceArrowWriter):
    """One `df.write`. Nothing is left to do when all tasks are done, or when one failed."""

    def __init__(self, options: WriteOptions, layout: RowLayout) -> None:
        self._sink = RowSink(options, layout)

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one task."""
        return self._sink.write(iterator)


class StreamWriter(DataSourceStreamArrowWriter):
    """One `df.writeStream`. Spark commits a micro-batch once all its tasks have answered."""

    def __init__(self, options: WriteOptions, layout: RowLayout) -> None:
        self._sink = RowSink(options, layout)

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one task."""
        return self._sink.write(iterator)

    def commit(
        self,
        messages: list[WriterCommitMessage | None],
        batchId: int,  # noqa: N803
    ) -> None:
        """Nothing: the records are in the topics."""

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing: what was written stays, and is written again when the batch is."""
