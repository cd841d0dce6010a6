"""The comparison at the end of a mirror's run: what came since the last one that found all equal."""

import json
from contextlib import closing

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from barnabas.client.core.admin.descriptions import EARLIEST
from barnabas.pipelines.checkpoint import if_there
from barnabas.pipelines.comparisons.comparison import CompareOptions, Comparison, compare
from barnabas.pipelines.mirrors.group_positions import nth_from_end
from barnabas.pipelines.mirrors.mirror_options import MirrorOptions
from barnabas.pipelines.sides import TopicSide
from barnabas.pipelines.target_topics import reader, written_ranges
from barnabas.pipelines.topic_frames import ClusterAddress, TopicRanges, bounds
from barnabas.spark.options.offsets import OffsetMap, offsets_from_json, offsets_to_json
from barnabas.types import TopicPartition


def compare_new(
    spark: SparkSession, origin: ClusterAddress, options: MirrorOptions, ends: OffsetMap
) -> Comparison:
    """Compare what came since the last comparison, and keep how far this one went.

    Raises:
        RecordsDiffer: both sides do.
    """
    names = options.target_names
    if not ends:
        return Comparison(", ".join(names), ", ".join(names.values()), [], [])  # No records yet.
    source_from, target_from = _last_compared(spark, options)
    targets = [TopicPartition(names[where.topic], where.partition) for where in ends]
    with origin.admin() as source, options.cluster.admin() as target:
        starts = bounds(source, ends, EARLIEST, origin)
        written = written_ranges(target, targets, options.cluster)
    source_ranges = TopicRanges(
        {w: min(max(at, source_from.get(w, 0)), ends[w]) for w, at in starts.items()}, ends
    )
    begins = {w: max(at, target_from.get(w, 0)) for w, at in written.starts.items()}
    for where, at in source_ranges.starts.items():
        if at > source_from.get(where, 0):
            # Retention was faster than this comparison: the last ones are those that both have.
            there = TopicPartition(names[where.topic], where.partition)
            with closing(reader(origin)) as reading, closing(reader(options.cluster)) as writing:
                left = reading.count(*where, at, ends[where])
                end = written.ends[there]
                begins[there] = nth_from_end(writing, there, begins[there], end, left)
    target_ranges = TopicRanges(begins, written.ends)
    found = compare(
        spark,
        TopicSide(origin, list(names), source_ranges),
        TopicSide(options.cluster, list(names.values()), target_ranges),
        CompareOptions(names=names),
    )
    found.check()
    keep_compared(spark, options, ends, written.ends)
    return found


def _last_compared(spark: SparkSession, options: MirrorOptions) -> tuple[OffsetMap, OffsetMap]:
    """The ends of source and target at the last comparison; empty maps before the first one."""
    kept = if_there(lambda: spark.read.json(_compared_path(options), "run LONG, ends STRING"))
    row = None if kept is None else kept.orderBy(f.desc("run")).first()
    if row is None:
        return {}, {}
    source, target = json.loads(row.ends)
    return offsets_from_json(source), offsets_from_json(target)


def keep_compared(
    spark: SparkSession, options: MirrorOptions, source: OffsetMap, target: OffsetMap
) -> None:
    """Keep the ends up to which both sides were equal, or from which on they are compared."""
    ends = json.dumps([offsets_to_json(source), offsets_to_json(target)])
    kept = if_there(lambda: spark.read.json(_compared_path(options), "run LONG, ends STRING"))
    run = 0 if kept is None else kept.count()
    rows = spark.createDataFrame([(run, ends)], "run LONG, ends STRING").coalesce(1)
    rows.write.mode("append").json(_compared_path(options))


def _compared_path(options: MirrorOptions) -> str:
    return f"{options.directory.rstrip('/')}/compared"
