"""The writers that Spark calls: at least once, like Spark's own sink, or exactly once.

Spark makes a writer for planning, pickles it into tasks, and makes another one to commit.
"""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)

from barnabas.spark.errors import briefly
from barnabas.spark.options.write_options import WriteOptions
from barnabas.spark.sink.batch_end import abort, commit
from barnabas.spark.sink.exactly_once import SinkBatch, write_once
from barnabas.spark.sink.row_layout import RowLayout
from barnabas.spark.sink.row_sink import RowSink
from barnabas.spark.workers.worker_process import THIS_WORKER


class BatchWriter(DataSourceArrowWriter):
    """Writes one `df.write`, perhaps inside a function for `foreachBatch`."""

    def __init__(self, options: WriteOptions, layout: RowLayout) -> None:
        self._options = options
        self._sink = RowSink(options, layout)
        self._alone = SinkBatch.alone(options.transactional_id_prefix)

    @briefly()
    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one task."""
        THIS_WORKER.begin_task()
        options = self._options
        if not options.exactly_once:
            return self._sink.write(iterator)
        if options.batch_id is None:
            return write_once(self._sink, self._alone, iterator)
        batch = SinkBatch.of_function(options.transactional_id_prefix, options.batch_id)
        return write_once(self._sink, batch, iterator)

    @briefly()
    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Commit everything that is not committed yet."""
        THIS_WORKER.begin_task()
        if self._options.exactly_once:
            commit(self._options.kafka, messages)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Abort everything that is not committed yet."""
        if self._options.exactly_once:
            # The name of a batch from `foreachBatch` contains the query, which only tasks know.
            alone = self._alone.name if self._options.batch_id is None else None
            abort(self._options.kafka, messages, alone)


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes one `df.writeStream`. Spark commits a micro-batch when all its tasks have answered."""

    def __init__(self, options: WriteOptions, layout: RowLayout) -> None:
        self._options = options
        self._sink = RowSink(options, layout)

    @briefly()
    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one task."""
        THIS_WORKER.begin_task()
        if not self._options.exactly_once:
            return self._sink.write(iterator)
        batch = SinkBatch.of_stream(self._options.transactional_id_prefix)
        return write_once(self._sink, batch, iterator)

    @briefly()
    def commit(
        self,
        messages: list[WriterCommitMessage | None],
        batchId: int,  # noqa: ARG002, N803 (Spark's name)
    ) -> None:
        """Commit the micro-batch where it is not committed yet. After an error Spark repeats it."""
        if self._options.exactly_once:
            commit(self._options.kafka, messages)

    def abort(
        self,
        messages: list[WriterCommitMessage | None],
        batchId: int,  # noqa: ARG002, N803
    ) -> None:
        """Abort everything that is not committed yet; Spark repeats the micro-batch."""
        if self._options.exactly_once:
            abort(self._options.kafka, messages)
