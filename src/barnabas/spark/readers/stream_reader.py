"""Streaming reading: joins the planner to Spark's calls. Decides nothing itself.

One object plans: it lives in the driver's helper process as long as the query. Copies of another one, which
never plans, are pickled into tasks.
"""

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from barnabas.runtime.clock import SystemClock
from barnabas.spark.errors import OffsetsError, briefly
from barnabas.spark.options.offsets import (
    OffsetJson,
    OffsetMap,
    offsets_from_json,
    offsets_to_json,
)
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.planner.admin_cluster import AdminCluster
from barnabas.spark.planner.group_progress import GroupProgress
from barnabas.spark.planner.ranges import ScanRange, plan
from barnabas.spark.planner.stream_planner import StreamPlanner
from barnabas.spark.readers.scan import Scan
from barnabas.spark.readers.schema import Projection
from barnabas.types import TopicPartition

NO_LIMIT = 2**63 - 1
"""The limit without an option. `ReadAllAvailable` is reserved: Spark passes it for a query that runs once."""


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads one streaming query; offsets are in Spark's own notation, `{"topic":{"0":123}}`."""

    def __init__(self, options: ReadOptions, projection: Projection) -> None:
        self._options = options
        self._scan = Scan(options, projection)
        self._cluster: AdminCluster | None = None
        self._made: StreamPlanner | None = None
        self._progress = GroupProgress(options.commit_offsets_to_group, self._save)

    @briefly()
    def initialOffset(self) -> OffsetJson:  # noqa: N802 (Spark's name)
        """The start of a new query."""
        return offsets_to_json(self._planner.initial())

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 (Spark's name)
        """`maxOffsetsPerTrigger`, or practically no limit."""
        return ReadMaxRows(self._options.max_offsets_per_trigger or NO_LIMIT)

    @briefly()
    def latestOffset(self, start: OffsetJson, limit: ReadLimit) -> OffsetJson:  # noqa: N802
        """The end of the next micro-batch; Spark calls this about every 11 ms while no records arrive."""
        assert isinstance(limit, ReadMaxRows | ReadAllAvailable), limit
        max_rows = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        begin = _from_checkpoint(start)
        end = self._planner.next_end(begin, max_rows=max_rows)
        self._progress.finished(begin)
        return offsets_to_json(end)

    def reportLatestOffset(self) -> OffsetJson | None:  # noqa: N802 (Spark's name)
        """The newest known offsets, regardless of the limit; for progress reports."""
        newest = self._planner.newest
        return None if newest is None else offsets_to_json(newest)

    @briefly()
    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 (Spark's name)
        """Read only up to the present ends."""
        self._planner.freeze()

    @briefly()
    def partitions(self, start: OffsetJson, end: OffsetJson) -> Sequence[InputPartition]:
        """The tasks of one micro-batch; the same for the same start and end."""
        begins, ends = _from_checkpoint(start), _from_checkpoint(end)
        return plan(
            self._planner.ranges(begins, ends),
            min_partitions=self._options.min_partitions,
            max_records=self._options.max_records_per_partition,
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of one task."""
        if isinstance(partition, ScanRange):
            with briefly():
                yield from self._scan.read(partition)

    @briefly()
    def commit(self, end: OffsetJson) -> None:
        """Save the end for the group: after a restart Spark calls this before `latestOffset`."""
        self._progress.finished(_from_checkpoint(end))

    def stop(self) -> None:
        """Give the connections back; end the process where Spark has left.

        Spark closes the socket of this process to stop a query. It would then try to tell the
        closed socket of that, and print two tracebacks beside a query that did all it should.
        """
        if self._cluster is not None:
            self._cluster.close()
        self._cluster = self._made = None
        if isinstance(sys.exception(), EOFError):
            os._exit(0)

    def __getstate__(self) -> dict[str, Any]:
        """What tasks need; connections stay here."""
        kept = {"_options": self._options, "_scan": self._scan}
        return kept | {"_cluster": None, "_made": None}

    def _save(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        self._connected.save(group, offsets)

    @property
    def _connected(self) -> AdminCluster:
        if self._cluster is None:
            self._cluster = AdminCluster(self._options)
        return self._cluster

    @property
    def _planner(self) -> StreamPlanner:
        if self._made is None:
            self._made = StreamPlanner(
                self._connected,
                self._options,
                clock=SystemClock(),
                pause=threading.Event().wait,
            )
        return self._made


def _from_checkpoint(offsets: Any) -> OffsetMap:
    """The offsets that Spark has kept.

    Raises:
        OffsetsError: they are of a source of another kind.
    """
    try:
        return offsets_from_json(offsets)
    except (ValueError, TypeError, AttributeError):
        raise OffsetsError(
            f"the checkpoint has {offsets}, which are no offsets of topics: it is the checkpoint of "
            "another query. Name another 'checkpointLocation'"
        ) from None
