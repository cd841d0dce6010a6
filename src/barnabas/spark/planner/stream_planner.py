"""Plan a streaming query: initial offsets, the end of each micro-batch, its ranges.

It has no connection of its own and is independent of Spark: `stream_reader` joins it to both.
"""

from collections.abc import Mapping

from barnabas.ports import Clock
from barnabas.spark.errors import OffsetsError
from barnabas.spark.options.offsets import LATEST, AllPartitions, AtOffsets, OffsetMap
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.planner.cluster import Cluster
from barnabas.spark.planner.ranges import rate_limited
from barnabas.spark.planner.resolving import (
    Pause,
    locate,
    newest_offsets,
    offset_range,
    report_loss,
    selected_partitions,
    with_ends,
)
from barnabas.types import OffsetRange, TopicPartition

DISCOVERY_S = 1.0
"""How old the list of partitions may be, in seconds: the longest delay until a new one is found."""


class StreamPlanner:
    """Decides the offsets of micro-batches. One for each run of a query.

    Spark checkpoints the end of each batch, but not the start of the first one: if that fails, the restart
    requests the start again. Earliest offsets, given offsets and times lead to the same start; the end of a
    partition has moved by then. A query that starts at an end therefore has an empty first batch, whose end is
    the start, which is then in the checkpoint, as with Spark's own source.
    """

    def __init__(
        self, cluster: Cluster, options: ReadOptions, *, clock: Clock, pause: Pause
    ) -> None:
        self._cluster = cluster
        self._options = options
        self._clock = clock
        self._pause = pause
        self._initial: OffsetMap | None = None
        self._pin_due = False
        self._target: OffsetMap | None = None
        self._partitions: set[TopicPartition] | None = None
        self._partitions_at = 0.0
        self._newest: OffsetMap | None = None
        self._last_batch_at: float | None = None

    @property
    def newest(self) -> OffsetMap | None:
        """The newest known offsets, for progress reports."""
        return self._newest

    def initial(self) -> OffsetMap:
        """The start of a new query. The same offsets with each call.

        Raises:
            TopicMissing, OffsetsError: see `locate`.
            DataLoss: a given offset is behind the end of its partition, and `failOnDataLoss` is set.
        """
        if self._initial is None:
            partitions = selected_partitions(self._cluster, self._options.selection)
            wanted = locate(
                self._cluster,
                partitions,
                self._options.starting,
                error_without_match=self._options.error_without_match,
            )
            self._pin_due = LATEST in wanted.values()
            if isinstance(self._options.starting, AtOffsets):
                self._check_not_behind_end(wanted)
            self._initial = with_ends(self._cluster, wanted)
        return self._initial

    def freeze(self) -> None:
        """Read only up to the present ends: the query ends there."""
        partitions = self._cluster.partitions(self._options.selection)
        self._target = self._cluster.latest(partitions)
        self._newest = self._target

    def next_end(self, start: Mapping[TopicPartition, int], *, max_rows: int | None) -> OffsetMap:
        """The end of the next micro-batch; `start` itself if there is nothing to do now.

        Args:
            start: its start.
            max_rows: the approximate limit of records; None for the only batch of a query that runs
                once, which reads everything.

        Raises:
            DataLoss: a partition is gone, or shorter than what was read of it, and
                `failOnDataLoss` is set.
            OffsetsError: the same, of a topic that the query does not read.
        """
        if self._pin_due:
            self._pin_due = False
            if max_rows is not None or self._options.starting == AllPartitions(LATEST):
                return dict(start)
        newest = self._newest_for(start)
        self._check_gone(start, newest)
        if max_rows is None:
            return newest
        new = [each for each in newest if each not in start]
        begins = self._cluster.earliest(new) if new else {}
        if self._target is None and self._should_wait(start, newest, begins):
            return dict(start)
        return rate_limited(max_rows, start, newest, begins)

    def ranges(
        self, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]
    ) -> list[OffsetRange]:
        """The ranges of a micro-batch, sorted by partition. The same for the same start and end.

        Raises:
            DataLoss, OffsetsError: as in `next_end`.
        """
        if self._pin_due:
            # After a restart the first batch is planned again, and its start is resolved only now. It was
            # the empty batch described above, and Spark continues from its end.
            self._pin_due = False
            if all(start.get(each, at) >= at for each, at in end.items()):
                return []
        fail = self._options.fail_on_data_loss
        found_now = start == self._initial
        if not found_now:
            # Otherwise a partition that the first batch lacks was created after its planning.
            self._check_gone(start, end)
        new = [each for each in end if each not in start]
        begins = self._cluster.earliest(new) if new else {}
        for each in sorted(new):
            if each not in begins:
                report_loss(f"{each.topic}-{each.partition} is gone", fail=fail)
            elif begins[each]:
                what = f"new partition {each.topic}-{each.partition} starts at {begins[each]}"
                report_loss(f"{what}, not at 0", fail=fail)
        found = []
        for each in sorted(end):
            begin = start.get(each, begins.get(each))
            if begin is None:
                continue
            if end[each] < begin:
                report_loss(self._behind(each, begin, end[each], first=found_now), fail=fail)
            found.append(offset_range(each, begin, end[each]))
        return found

    def _check_not_behind_end(self, wanted: OffsetMap) -> None:
        ends = newest_offsets(self._cluster, set(wanted), wanted, self._options, self._pause)
        for each in sorted(wanted):
            if each in ends and wanted[each] > ends[each]:
                name = f"{each.topic}-{each.partition}"
                what = f"{name} was asked to start at {wanted[each]}, and ends at {ends[each]}"
                report_loss(what, fail=self._options.fail_on_data_loss)

    def _behind(self, where: TopicPartition, begin: int, end: int, *, first: bool) -> str:
        name = f"{where.topic}-{where.partition}"
        if first:
            return f"{name} starts at {begin} now, after its first batch, which ended at {end}"
        return f"{name} went back from {begin} to {end}"

    def _newest_for(self, start: Mapping[TopicPartition, int]) -> OffsetMap:
        if self._target is not None:
            self._look_again_behind(start, self._target)
            return dict(self._target)
        # Requested each time, although Spark calls about 90 times a second while no records arrive: with
        # cached ends `processAllAvailable` could return before it has read the latest records.
        partitions = self._known_partitions(self._clock.monotonic())
        newest = newest_offsets(self._cluster, partitions, start, self._options, self._pause)
        if not start.keys() <= newest.keys():
            self._partitions = None
        self._newest = newest
        return dict(newest)

    def _look_again_behind(self, start: Mapping[TopicPartition, int], target: OffsetMap) -> None:
        """Check the ends again if a batch starts beyond them: the log may have grown meanwhile.

        If it is shorter, or gone, the topic was created again, which must be reported as data loss.
        """
        behind = {each for each, end in target.items() if end < start.get(each, 0)}
        if not behind:
            return
        read = {each: start[each] for each in behind}
        newest = newest_offsets(self._cluster, behind, read, self._options, self._pause)
        for each in behind:
            if each in newest:
                target[each] = min(newest[each], start[each])
            else:
                del target[each]

    def _known_partitions(self, now: float) -> set[TopicPartition]:
        if self._partitions is None or now - self._partitions_at >= DISCOVERY_S:
            self._partitions = self._cluster.partitions(self._options.selection)
            self._partitions_at = now
        return self._partitions

    def _check_gone(
        self, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]
    ) -> None:
        gone = sorted(each for each in start if each not in end)
        read = self._options.selection.matching(each.topic for each in gone)
        others = sorted({each.topic for each in gone} - read)
        if others and self._options.fail_on_data_loss:
            raise OffsetsError(
                f"the checkpoint has offsets of topic {', '.join(others)}, which the query does not "
                "read: it is the checkpoint of another query, or the topics were changed. Name "
                "another 'checkpointLocation', or, to go on with this one, set option "
                "'failOnDataLoss' to 'false'"
            )
        if gone:
            names = ", ".join(f"{each.topic}-{each.partition}" for each in gone)
            report_loss(f"partition {names} is gone", fail=self._options.fail_on_data_loss)

    def _should_wait(
        self, start: Mapping[TopicPartition, int], newest: OffsetMap, begins: OffsetMap
    ) -> bool:
        """Whether fewer than `minOffsetsPerTrigger` records are available and `maxTriggerDelay` is not over."""
        least = self._options.min_offsets_per_trigger
        if least is None:
            return False
        there = sum(
            max(end - start.get(each, begins.get(each, 0)), 0) for each, end in newest.items()
        )
        if not there:
            return False
        now = self._clock.monotonic()
        late = self._last_batch_at is None or (
            (now - self._last_batch_at) * 1000 >= self._options.max_trigger_delay_ms
        )
        if not late and there < least:
            return True
        self._last_batch_at = now
        return False
