"""Resolve positions to offsets, and check that they exist."""

import logging
from collections.abc import Callable, Mapping

from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.spark.errors import DataLoss, OffsetsError, TopicMissing
from barnabas.spark.options.offsets import (
    EARLIEST,
    LATEST,
    AllPartitions,
    AtOffsets,
    AtTime,
    AtTimes,
    OffsetMap,
    Position,
)
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.options.selection import Partitions, Pattern, Selection, Topics
from barnabas.spark.planner.cluster import Cluster
from barnabas.types import Offset, OffsetRange, TopicPartition

Pause = Callable[[float], object]
"""Waits for the given seconds."""

_log = logging.getLogger(__name__)


def selected_partitions(cluster: Cluster, selection: Selection) -> set[TopicPartition]:
    """The partitions to read at the start of a query.

    Raises:
        TopicMissing: a topic or partition that the options name does not exist. A pattern may match
            nothing: topics may be created later.
    """
    found = cluster.partitions(selection)
    if isinstance(selection, Topics):
        missing = sorted(selection.names - {partition.topic for partition in found})
        if missing:
            raise TopicMissing(f"topic {', '.join(missing)} is", _meant(cluster, missing))
    if isinstance(selection, Partitions):
        absent = sorted(selection.partitions - found)
        if absent:
            raise TopicMissing(f"partition {_names(absent)} is")
    return found


def _meant(cluster: Cluster, missing: list[str]) -> str:
    """The existing topics with names similar to the missing ones."""
    there = {partition.topic for partition in cluster.partitions(Pattern(".*"))}
    return " ".join(filter(None, (similar_names(name, there) for name in missing)))


def resolve(
    cluster: Cluster,
    partitions: set[TopicPartition],
    position: Position,
    *,
    error_without_match: bool,
) -> OffsetMap:
    """The offset of each of `partitions` at `position`; arguments and errors as `locate`."""
    wanted = locate(cluster, partitions, position, error_without_match=error_without_match)
    return with_ends(cluster, wanted)


def locate(
    cluster: Cluster,
    partitions: set[TopicPartition],
    position: Position,
    *,
    error_without_match: bool,
) -> OffsetMap:
    """The offset of each of `partitions` at `position`, or EARLIEST or LATEST for its ends.

    Args:
        cluster: returns the offsets.
        partitions: those that the query reads.
        position: the position of each.
        error_without_match: what to do where no record is at or after a timestamp: fail, or take
            the end of the partition.

    Raises:
        OffsetsError: the position names other partitions than the query reads, or nothing is at
            or after a timestamp.
    """
    wanted: OffsetMap
    match position:
        case AllPartitions(end):
            wanted = dict.fromkeys(partitions, end)
        case AtOffsets(offsets):
            _check_same("startingOffsets or endingOffsets", set(offsets), partitions)
            wanted = dict(offsets)
        case AtTime(timestamp_ms):
            times = dict.fromkeys(partitions, timestamp_ms)
            wanted = _at_times(cluster, times, error_without_match=error_without_match)
        case AtTimes(timestamps_ms):
            _check_same("...OffsetsByTimestamp", set(timestamps_ms), partitions)
            wanted = _at_times(cluster, timestamps_ms, error_without_match=error_without_match)
    return wanted


def batch_ranges(cluster: Cluster, options: ReadOptions) -> list[OffsetRange]:
    """The ranges that a batch query reads: one for each partition, sorted, including empty ones.

    Raises:
        TopicMissing: see `selected_partitions`.
        OffsetsError: see `resolve`; or a start is behind its end.
        DataLoss: requested offsets do not exist, and `failOnDataLoss` is set.
    """
    partitions = selected_partitions(cluster, options.selection)
    starts = resolve(
        cluster, partitions, options.starting, error_without_match=options.error_without_match
    )
    ends = resolve(cluster, partitions, options.ending, error_without_match=False)
    for partition in sorted(partitions):
        if starts[partition] > ends[partition]:
            raise OffsetsError(
                f"{_name(partition)} would start at {starts[partition]} and end before, at "
                f"{ends[partition]}; mend the starting or the ending offsets"
            )
    if isinstance(options.starting, AtOffsets) or isinstance(options.ending, AtOffsets):
        _keep_to_what_is_there(cluster, starts, ends, fail=options.fail_on_data_loss)
    return [offset_range(each, starts[each], ends[each]) for each in sorted(partitions)]


def newest_offsets(
    cluster: Cluster,
    partitions: set[TopicPartition],
    known: Mapping[TopicPartition, int],
    options: ReadOptions,
    pause: Pause,
) -> OffsetMap:
    """The end of each partition, requested again while one is missing or lower than `known`.

    A broker that has just become the leader may return an old end, or none, for a moment.

    Source: KAFKA-7703.
    """
    newest: OffsetMap = {}
    for attempt in range(options.fetch_retries):
        if attempt:
            pause(options.fetch_retry_interval_ms / 1000)
        newest = cluster.latest(partitions)
        if all(newest.get(partition, -1) >= at for partition, at in known.items()):
            break
    return newest


def report_loss(what: str, *, fail: bool) -> None:
    """Raise DataLoss, or log that records were lost."""
    if fail:
        raise DataLoss(what)
    _log.warning("records may have been lost (failOnDataLoss is false): %s", what)


def offset_range(partition: TopicPartition, start: int, end: int) -> OffsetRange:
    """The range [start, end) of a partition."""
    return OffsetRange(partition.topic, partition.partition, Offset(start), Offset(end))


def _keep_to_what_is_there(
    cluster: Cluster, starts: OffsetMap, ends: OffsetMap, *, fail: bool
) -> None:
    """Check given offsets against the log; move both into it if that is allowed."""
    first, last = cluster.earliest(starts), cluster.latest(starts)
    for partition in sorted(starts):
        low, high = first.get(partition, 0), last.get(partition, 0)
        asked = f"[{starts[partition]}, {ends[partition]})"
        if starts[partition] < low or ends[partition] > high:
            report_loss(
                f"{_name(partition)} was asked for {asked} and has [{low}, {high})", fail=fail
            )
        starts[partition] = min(max(starts[partition], low), high)
        ends[partition] = min(max(ends[partition], low), high)


def _at_times(
    cluster: Cluster, times: Mapping[TopicPartition, int], *, error_without_match: bool
) -> OffsetMap:
    found = cluster.at_times(times)
    result: OffsetMap = {}
    for partition, timestamp in times.items():
        offset = found.get(partition)
        if offset is None and error_without_match:
            raise OffsetsError(
                f"{_name(partition)} has no record at or after timestamp {timestamp}; choose an "
                "earlier one, or set option 'startingOffsetsByTimestampStrategy' to latest"
            )
        result[partition] = LATEST if offset is None else offset
    return result


def with_ends(cluster: Cluster, wanted: OffsetMap) -> OffsetMap:
    """Replace EARLIEST and LATEST in `wanted` by the present offsets.

    Raises:
        TopicMissing: a partition was deleted meanwhile.
    """
    first = [partition for partition, at in wanted.items() if at == EARLIEST]
    last = [partition for partition, at in wanted.items() if at == LATEST]
    found = (cluster.earliest(first) if first else {}) | (cluster.latest(last) if last else {})
    gone = [partition for partition in (*first, *last) if partition not in found]
    if gone:
        raise TopicMissing(f"partition {_names(sorted(gone))} is")
    return wanted | found


def _check_same(name: str, given: set[TopicPartition], read: set[TopicPartition]) -> None:
    if given == read:
        return
    missing, extra = sorted(read - given), sorted(given - read)
    parts = [f"lacks {_names(missing)}"] if missing else []
    parts += [f"names {_names(extra)}, which the query does not read"] if extra else []
    raise OffsetsError(f"{name} {' and '.join(parts)}; give one for each partition of the query")


def _name(partition: TopicPartition) -> str:
    return f"{partition.topic}-{partition.partition}"


def _names(partitions: list[TopicPartition]) -> str:
    return ", ".join(_name(each) for each in partitions)
