"""The work of one task: decode the batches in a part of a file into record batches for Spark."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.runtime.files.read_only import ReadOnlyDisk
from barnabas.spark.directories.chunks import chunks, damage
from barnabas.spark.directories.errors import reading_files
from barnabas.spark.directories.log_options import LogOptions
from barnabas.spark.directories.segment_range import SegmentRange
from barnabas.spark.directories.transaction_outcomes import Outcomes
from barnabas.spark.readers.assembling import Assembler
from barnabas.spark.readers.scan import wanted_by
from barnabas.spark.readers.schema import Projection
from barnabas.spark.workers.worker_process import THIS_WORKER


@dataclass(frozen=True, slots=True)
class SegmentScan:
    """Runs the tasks of a query. Pickled into tasks; has no open file."""

    options: LogOptions
    projection: Projection

    def read(self, task: SegmentRange) -> Iterator[Any]:
        """Yield the records of `task` as `pyarrow.RecordBatch`es, in offset order.

        Raises:
            UnreadableLog: the file is gone, became shorter, or is damaged.
        """
        THIS_WORKER.begin_task()
        wanted = wanted_by(self.projection)
        assembler = Assembler(
            self.projection, task.topic, task.partition, batch_rows=self.options.read.batch_rows
        )
        for arrays, count in self._columns(task, wanted):
            yield from assembler.batches(arrays, count)

    def _columns(
        self, task: SegmentRange, wanted: ColumnSelection
    ) -> Iterator[tuple[dict[str, Any], int]]:
        with reading_files():
            disk = ReadOnlyDisk()
            committed_only = self.options.committed_only and not task.byte_positions
            outcomes = Outcomes(disk, task) if committed_only else None
            with closing(disk.open(task.path)) as file:
                for chunk in chunks(file, task, self.options.read.fetch_bytes):
                    try:
                        aborted = outcomes.withheld(chunk) if outcomes else ()
                        columns = decode_columns(
                            [chunk.data],
                            wanted=wanted,
                            start=task.start,
                            end=task.end,
                            aborted=aborted,
                            nested=True,
                        )
                        arrays = to_arrow(columns) if wanted else {}
                    except (CorruptRecord, DecodeError) as error:
                        raise damage(task, chunk, error) from None
                    yield arrays, columns.count
