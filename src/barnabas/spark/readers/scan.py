"""The work of one task: fetch the records of a range, decode them, pass record batches to Spark."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from barnabas.client.sync.ranges import RangeReader
from barnabas.errors import BrokerError, CorruptRecord, DecodeError, ErrorCode, RequestTimeout
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection
from barnabas.spark.errors import DamagedRecords, Unreachable, reaching
from barnabas.spark.options.option_values import TASK_REFUSED_MS
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.planner.admin_cluster import AdminCluster
from barnabas.spark.planner.ranges import ScanRange
from barnabas.spark.planner.resolving import report_loss
from barnabas.spark.readers.assembling import Assembler
from barnabas.spark.readers.decoding import Decoding
from barnabas.spark.readers.schema import Projection
from barnabas.spark.workers.worker_process import THIS_WORKER
from barnabas.types import TopicPartition

WANTED: Mapping[str, ColumnSelection] = {
    "key": ColumnSelection.KEY,
    "value": ColumnSelection.VALUE,
    "offset": ColumnSelection.OFFSET,
    "timestamp": ColumnSelection.TIMESTAMP,
    "timestampType": ColumnSelection.TIMESTAMP,
    "headers": ColumnSelection.HEADERS,
}


def wanted_by(projection: Projection) -> ColumnSelection:
    """The parts of records that must be decoded for these columns."""
    wanted = ColumnSelection(0)
    for name in projection.decoded:
        wanted |= WANTED[name]
    return wanted


LOST = frozenset(
    {
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)
"""The errors of a fetch after retention or a deletion of the topic."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Runs the tasks of a query. Pickled into tasks; has no connection."""

    options: ReadOptions
    projection: Projection

    def read(self, task: ScanRange) -> Iterator[Any]:
        """Yield the records of `task` as `pyarrow.RecordBatch`es, in offset order.

        Raises:
            DataLoss: records of the range no longer exist, and `failOnDataLoss` is set.
            BrokerError, Unreachable: the broker could not be read.
            DamagedRecords: a batch is not what its header says.
            BadValue, WriteRefused: as `Decoding`.
        """
        THIS_WORKER.begin_task()
        with ExitStack() as stack:
            yield from self._batches(task, self._decoding(task, stack))

    def _batches(self, task: ScanRange, decoding: Decoding | None) -> Iterator[Any]:
        wanted = wanted_by(self.projection)
        reader = RangeReader(reader_properties(self.options), fetch_bytes=self.options.fetch_bytes)
        assembler = Assembler(
            self.projection,
            task.topic,
            task.partition,
            batch_rows=self.options.batch_rows,
            decoding=decoding,
        )
        position = task.start
        while position < task.end:
            try:
                with reaching():
                    for part in reader.read(task.topic, task.partition, position, task.end, wanted):
                        arrays = to_arrow(part) if wanted else {}
                        yield from assembler.batches(arrays, part.count)
                        position = part.next_offset
            except BrokerError as error:
                if error.code not in LOST:
                    raise
                position = self._after_loss(task, position, error)
            except RequestTimeout as error:
                raise Unreachable(str(error)) from None
            except (CorruptRecord, DecodeError) as error:
                raise DamagedRecords(f"{task.topic}-{task.partition}: {error}") from None
            else:
                return

    def _decoding(self, task: ScanRange, stack: ExitStack) -> Decoding | None:
        if not self.projection.decodes:
            return None
        formats, where = self.options.formats, TopicPartition(task.topic, task.partition)
        letters = None
        if formats.bad == "topic":
            # Loading the producer is a tenth of what the process of a new stream loads.
            from barnabas.spark.readers.dead_letters import DeadLetters

            letters = stack.enter_context(closing(DeadLetters(self.options, where)))
        return Decoding(formats, where, letters)

    def _after_loss(self, task: ScanRange, position: int, error: BrokerError) -> int:
        """The offset to continue at: the first one that exists, or the end of the range."""
        report_loss(
            f"{task.topic}-{task.partition} cannot be read from offset {position} ({error})",
            fail=self.options.fail_on_data_loss,
        )
        partition = TopicPartition(task.topic, task.partition)
        cluster = AdminCluster(self.options)
        try:
            first = cluster.earliest([partition]).get(partition)
            last = cluster.latest([partition]).get(partition)
        finally:
            cluster.close()
        if first is None or last is None or position >= last:
            return task.end
        return max(position, first)


def reader_properties(options: ReadOptions) -> dict[str, str]:
    """The consumer's properties: the user's, and defaults for the others."""
    ours = {
        "client.id": options.group_id_prefix,
        "default.api.timeout.ms": str(options.poll_timeout_ms),
        "bootstrap.refused.timeout.ms": TASK_REFUSED_MS,
    }
    return ours | dict(options.kafka)
