"""SegmentRange: the part of one segment's file that one task reads; splitting a query into tasks."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from pyspark.sql.datasource import InputPartition

from barnabas.spark.directories.directory_cluster import DirectoryCluster
from barnabas.spark.directories.errors import damaged, reading_files
from barnabas.spark.directories.log_options import LogOptions
from barnabas.spark.planner.ranges import plan
from barnabas.types import OffsetRange, TopicPartition


@dataclass(frozen=True)
class SegmentRange(InputPartition):
    """One task: the offsets [start, end) of a partition, all in one file. Pickled into tasks.

    A batch begins at byte `position`, and no earlier one contains `start`. The batches of the file end at
    byte `limit`, and their offsets are below `behind`. `log_end` is the end of the whole log as of planning.
    """

    topic: str
    partition: int
    start: int
    end: int
    path: str
    base_offset: int
    position: int
    limit: int
    behind: int
    log_end: int
    byte_positions: bool


def segment_ranges(
    cluster: DirectoryCluster, ranges: Iterable[OffsetRange], options: LogOptions
) -> list[SegmentRange]:
    """Split ranges into tasks that cover every offset exactly once.

    Raises:
        UnreadableLog: a segment is damaged where it was read, or where a range ends.
    """
    pieces: list[OffsetRange] = []
    with reading_files():
        for each in ranges:
            log = cluster.log(TopicPartition(each.topic, each.partition))
            if log is not None and each.start < each.end:
                pieces += log.pieces(each.start, each.end, options.split_bytes)
        planned = plan(
            pieces,
            min_partitions=options.read.min_partitions,
            max_records=options.read.max_records_per_partition,
        )
        tasks: list[SegmentRange] = []
        for where, group in groupby(
            planned, lambda task: TopicPartition(task.topic, task.partition)
        ):
            log = cluster.log(where)
            assert log is not None, "it was there for its pieces"
            tail = log.tail
            for task in group:
                if task.end == tail.offset and tail.rest and not tail.torn:
                    raise damaged(log.last_path, tail.position, "there is something else")
                place = log.place(task.start)
                tasks.append(
                    SegmentRange(
                        *where, task.start, task.end, place.path, place.base_offset,
                        place.position, place.limit, place.behind, tail.offset, log.byte_positions,
                    )
                )  # fmt: skip
    return tasks
