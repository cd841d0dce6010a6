"""Split a query's ranges into tasks, and limit the size of micro-batches. Pure.

Source: Spark's KafkaOffsetRangeCalculator and KafkaMicroBatchStream, for the same sizes of tasks
and batches from the same options.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql.datasource import InputPartition

from barnabas.spark.options.offsets import OffsetMap
from barnabas.types import Offset, OffsetRange, TopicPartition


@dataclass(frozen=True)
class ScanRange(InputPartition):
    """One task: read the offsets [start, end) of one partition. Not empty; pickled into tasks."""

    topic: str
    partition: int
    start: int
    end: int


def plan(
    ranges: Iterable[OffsetRange],
    *,
    min_partitions: int | None = None,
    max_records: int | None = None,
) -> list[ScanRange]:
    """Split ranges into tasks that cover every offset exactly once; empty ranges are dropped.

    Args:
        ranges: the offsets to read; a range with start >= end is empty.
        min_partitions: split large ranges until there are about this many tasks.
        max_records: split ranges so that no task covers more offsets than this.
    """
    tasks = [each for each in ranges if each.start < each.end]
    if max_records is not None:
        tasks = [piece for each in tasks for piece in _cut(each, -(-_size(each) // max_records))]
    if min_partitions is not None and len(tasks) < min_partitions:
        tasks = _cut_large(tasks, min_partitions)
    return [ScanRange(each.topic, each.partition, each.start, each.end) for each in tasks]


def rate_limited(
    limit: int, start: Mapping[TopicPartition, int], newest: OffsetMap, begins: OffsetMap
) -> OffsetMap:
    """The end of a micro-batch of about `limit` records, with a share for each partition.

    Args:
        limit: records in the batch.
        start: where it starts.
        newest: the latest possible end.
        begins: the starts of partitions that are not in `start`.

    A partition with anything to read gets at least one record, so small ones never starve.
    """
    begin = begins | {each: at for each, at in start.items() if each in newest}
    sizes = {each: newest[each] - at for each, at in begin.items() if newest[each] > at}
    total = sum(sizes.values())
    if total <= limit:
        return dict(newest)
    shares = {each: limit * size / total for each, size in sizes.items()}
    return {
        each: min(end, begin[each] + _rounded(shares[each])) if each in shares else end
        for each, end in newest.items()
    }


def _rounded(share: float) -> int:
    return math.ceil(share) if share < 1 else math.floor(share)


def _size(each: OffsetRange) -> int:
    return each.end - each.start


def _cut(each: OffsetRange, parts: int) -> list[OffsetRange]:
    """Split into `parts` pieces of nearly the same size, smaller ones first; at most one an offset."""
    parts = min(parts, _size(each))
    pieces, low = [], each.start
    for left in range(parts, 0, -1):
        high = Offset(low + (each.end - low) // left)
        pieces.append(OffsetRange(each.topic, each.partition, low, high))
        low = high
    return pieces


def _cut_large(tasks: list[OffsetRange], wanted: int) -> list[OffsetRange]:
    """Split in proportion to size; ranges that are too small to split do not count."""
    total = sum(_size(each) for each in tasks)
    large = [_parts(_size(each), total, wanted) > 1 for each in tasks]
    rest = sum(_size(each) for each, cut in zip(tasks, large, strict=True) if cut)
    wanted_of_rest = max(wanted - large.count(False), 1)
    pieces: list[OffsetRange] = []
    for each, cut in zip(tasks, large, strict=True):
        pieces += _cut(each, _parts(_size(each), rest, wanted_of_rest)) if cut else [each]
    return pieces


def _parts(size: int, total: int, wanted: int) -> int:
    return max(math.floor(size / total * wanted + 0.5), 1)
