"""Writing exactly once: a task's rows are one transaction, which the driver commits.

A task prepares its transaction and hands it over. When all tasks have answered, the driver commits all
transactions. Each transaction contains the batch's number, as the position of a group without members. A
repeated batch reads it first, and skips what was committed before the failure.

The order makes this correct: `init_transactions` fences all older attempts and waits for their commits; only
then is the number read. After the fence no other attempt can commit, so the number is final.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.client.sync.producer import Producer
from barnabas.errors import ConnectionFailed, KafkaError, RequestTimeout
from barnabas.runtime.entropy import SystemEntropy
from barnabas.spark.errors import WriteRefused, writing
from barnabas.spark.sink.client_cache import kept_admin, kept_producer
from barnabas.spark.sink.row_sink import RowSink
from barnabas.types import TopicPartition

BATCH_NUMBER: Final = TopicPartition("__consumer_offsets", 0)
"""The partition whose committed position is the number of a batch; it exists on every cluster."""

DEFAULTS: Final = {
    # The brokers' default maximum: it must last from the first row of a batch until its commit.
    "transaction.timeout.ms": "900000"
}


@dataclass(frozen=True, slots=True)
class SinkBatch:
    """A batch that tasks write together: the name of its transactions, and its number, if it has one."""

    name: str
    number: int | None = None

    @classmethod
    def of_stream(cls, prefix: str) -> "SinkBatch":
        """The micro-batch of this task; the checkpoint identifies its query."""
        query, number = _local("sql.streaming.queryId"), _local("streaming.sql.batchId")
        if query is None or number is None:
            raise WriteRefused("exactly-once needs the query and batch that Spark tells its tasks")
        return cls(f"{prefix}-{query}", int(number))

    @classmethod
    def of_function(cls, prefix: str, number: int) -> "SinkBatch":
        """A batch passed to a function for `foreachBatch`."""
        query = _local("sql.streaming.queryId")
        if query is None:
            # Otherwise batches of another query, or of a new checkpoint, would count as written.
            raise WriteRefused(
                "Spark does not report which query this batch is of (it never does over Spark Connect): "
                "write exactly once by writeStream.format('barnabas'), or in a classic session"
            )
        return cls(f"{prefix}-{query}", number)

    @classmethod
    def alone(cls, prefix: str) -> "SinkBatch":
        """A batch write, which is not repeated; all attempts of a task share the name."""
        return cls(f"{prefix}-{SystemEntropy().uuid().hex()}")


def _local(name: str) -> str | None:
    context = TaskContext.get()
    return None if context is None else context.getLocalProperty(name)


@dataclass(frozen=True)
class Prepared(WriterCommitMessage):
    """The message of a task: its transaction, or None if its rows were committed before.

    `name`: that of the batch, as in `SinkBatch`.
    """

    name: str
    rows: int
    transaction: PreparedTransaction | None


def write_once(sink: RowSink, batch: SinkBatch, batches: Iterator[Any]) -> Prepared:
    """Send all rows of `batches` (`pyarrow.RecordBatch`es) in a transaction, and leave it prepared.

    Raises:
        WriteRefused: as `RowSink.send`, or this batch was written with another number of rows, or a
            later one was.
        Unreachable: no broker could be reached.
    """
    context = TaskContext.get()
    assert context is not None, "tasks have one"
    name = f"{batch.name}-{context.partitionId()}"
    properties = DEFAULTS | dict(sink.options.kafka) | {"transactional.id": name}
    with writing(), kept_producer(properties) as producer:
        producer.init_transactions()
        if batch.number is not None and (done := _written(sink, name, batch.number)) is not None:
            rows = sum(each.num_rows for each in batches)
            _check_same(name, batch.number, done, rows)
            with _open(producer):
                producer.prepare_transaction()  # An empty one: ready for the next batch.
            return Prepared(batch.name, rows, None)
        with _open(producer):
            rows = sink.send(producer, batches)
            if batch.number is not None:
                group = GroupMetadata(name)
                producer.send_offsets_to_transaction({BATCH_NUMBER: batch.number}, group, str(rows))
            return Prepared(batch.name, rows, producer.prepare_transaction())


@contextmanager
def _open(producer: Producer) -> Iterator[None]:
    """Begin a transaction; abort it if the task fails, because it would delay readers."""
    producer.begin_transaction()
    try:
        yield
    except (ConnectionFailed, RequestTimeout):
        raise
    except BaseException:
        with suppress(KafkaError):
            producer.abort_transaction()
        raise


def _written(sink: RowSink, name: str, number: int) -> int | None:
    """How many rows of this batch the task has committed; None: it has not.

    Raises:
        WriteRefused: it has committed a later batch. The rows of earlier batches are unknown by now: skipping
            this batch could lose rows, and writing it could write rows twice.
    """
    with kept_admin(sink.options.kafka) as admin:
        saved = admin.list_group_offsets(name, [BATCH_NUMBER]).get(BATCH_NUMBER)
    if saved is None or saved.offset < number:
        return None
    if saved.offset > number:
        raise WriteRefused(
            f"batch {number} of {name} comes after batch {saved.offset} was committed: the "
            "checkpoint is older than what was written, perhaps put back from a copy. Bring the "
            "latest checkpoint back; or start with a new checkpoint and 'startingOffsets' behind what "
            "the target has; or set another 'transactionalIdPrefix', and rows since this "
            "checkpoint are written once more"
        )
    return int(saved.metadata)


def _check_same(name: str, number: int, done: int, rows: int) -> None:
    if done != rows:
        raise WriteRefused(
            f"batch {number} of {name} was written with {done} rows before a failure and has "
            f"{rows} now: a batch must come again as it was. Run the query once more as it was "
            "then (same plan, same number of tasks), and change it after that batch"
        )
