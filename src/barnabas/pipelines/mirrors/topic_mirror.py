"""Topics of one cluster to another, each record exactly once, and the positions of their groups.

A streaming query into the exactly-once sink: a run mirrors the present records, and the next run continues
after them. At its end, a run compares the records since the last comparison that found no difference.
"""

from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.pipelines.comparisons.comparison import Comparison
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.mirrors.group_positions import GroupPosition, move_groups
from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address, mirror_07
from barnabas.pipelines.mirrors.mirror_comparison import compare_new, keep_compared
from barnabas.pipelines.mirrors.mirror_options import MirrorOptions
from barnabas.pipelines.mirrors.mirror_to_07 import mirror_to_07
from barnabas.pipelines.retention import oldest_timestamps, warn_of_old_records
from barnabas.pipelines.running import OnProgress, PipelineProgress, ignore, run_available
from barnabas.pipelines.sides import TopicSide
from barnabas.pipelines.target_topics import (
    check_empty,
    copied_properties,
    ensure_topics,
    renamed,
)
from barnabas.pipelines.topic_frames import (
    RECORD,
    ClusterAddress,
    TopicRanges,
    bounds,
    partitions_of,
)
from barnabas.pipelines.topic_identities import TopicIdentities, identities
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class MirrorResult:
    """The result of a run: what it wrote, the comparison of it, and where the groups are."""

    batches: int
    records: int
    comparison: Comparison
    groups: list[GroupPosition]


def mirror(
    spark: SparkSession | None, options: MirrorOptions, on_progress: OnProgress = ignore
) -> MirrorResult:
    """Mirror what the topics have now; go on where the last run ended.

    Partitions, order, keys, headers and timestamps are kept, offsets are new. Topics that do not
    exist are made like those of the source. From Kafka 0.7 see `mirror_07`, to it `mirror_to_07`; `spark`
    may be None then.

    Raises:
        PipelineRefused: a topic of the target has too few partitions, or records of others; a topic is
            another than at the last run.
        RecordsDiffer: a record is missing, doubled, changed or out of order at the end.
        MigrationStopped: of Kafka 0.7, the same, or a message cannot be read.
        KafkaError, PySparkException: the brokers or Spark failed.
    """
    if isinstance(options.target, Kafka07Address):
        return _to_07(options.target, options, on_progress)
    if isinstance(options.source, Kafka07Address):
        return _from_07(options.source, options, on_progress)
    if spark is None:
        raise PipelineRefused(
            "only a mirror of Kafka 0.7, or to it, does without a session of Spark"
        )
    return _from_cluster(spark, options.source, options, on_progress)


def _from_07(
    source: Kafka07Address, options: MirrorOptions, on_progress: OnProgress
) -> MirrorResult:
    names, groups = options.target_names, options.groups
    done = mirror_07(source, options.cluster, names, options.directory, groups, on_progress)
    to = TopicSide(options.cluster, list(names.values())).name
    found = Comparison(f"{', '.join(names)} of Kafka 0.7", to, done.parts, [])
    return MirrorResult(0, done.records, found, done.groups)


def _to_07(target: Kafka07Address, options: MirrorOptions, on_progress: OnProgress) -> MirrorResult:
    source, names, groups = options.source, options.target_names, options.groups
    if isinstance(source, Kafka07Address):
        raise PipelineRefused("from Kafka 0.7 to Kafka 0.7 copy the log directory: offsets stay")
    done = mirror_to_07(source, target, names, options.directory, groups, on_progress)
    name = TopicSide(source, list(names)).name
    found = Comparison(name, f"{', '.join(names.values())} of Kafka 0.7", done.parts, [])
    return MirrorResult(0, done.records, found, done.groups)


def _from_cluster(
    spark: SparkSession, origin: ClusterAddress, options: MirrorOptions, on_progress: OnProgress
) -> MirrorResult:
    names = options.target_names
    begun = options.checkpoint.query(spark) is not None
    kept = TopicIdentities(spark, f"{options.directory.rstrip('/')}/topics", begun=begun)
    with origin.admin() as source, options.cluster.admin() as target:
        counts = partitions_of(source, names)
        ours = identities(source, "source", {topic: topic for topic in names})
        kept.check(ours + identities(target, "target", names))
        configs = copied_properties(source, names)
        made = ensure_topics(
            target,
            {names[topic]: count for topic, count in counts.items()},
            {names[topic]: configs[topic] for topic in names},
        )
        kept.keep(ours + identities(target, "target", names))
        if not begun:
            check_empty(options.cluster, target, made)
            places = [
                TopicPartition(topic, one) for topic in counts for one in range(counts[topic])
            ]
            there = [TopicPartition(names[where.topic], where.partition) for where in places]
            starts = bounds(source, places, EARLIEST, origin)
            oldest = oldest_timestamps(
                origin, TopicRanges(starts, bounds(source, places, LATEST, origin))
            )
            renamed_oldest = {names[topic]: at for topic, at in oldest.items()}
            warn_of_old_records(target, renamed_oldest, options.cluster)
            keep_compared(spark, options, starts, bounds(target, there, LATEST, options.cluster))
    done = run_available("mirror", lambda: _start(spark, origin, options), on_progress)
    on_progress(PipelineProgress("compare", done.batches, done.records))
    ends = {w: at for w, at in options.checkpoint.ends(spark).items() if w.topic in names}
    found = compare_new(spark, origin, options, ends)
    groups: list[GroupPosition] = []
    if options.groups is None or options.groups:
        groups = move_groups(origin, options.cluster, ends, names, options.groups)
    return MirrorResult(done.batches, done.records, found, groups)


def _start(spark: SparkSession, origin: ClusterAddress, options: MirrorOptions) -> StreamingQuery:
    records = (
        origin.reading(spark.readStream, options.topics)
        .schema(RECORD)
        .option("includeHeaders", "true")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", options.records_per_batch)
        .load()
    )
    rows = records.select(
        renamed(options.target_names), "partition", "key", "value", "headers", "timestamp"
    )
    return (
        rows.writeStream.queryName("mirror")
        .format("barnabas")
        .options(**options.cluster.options())
        .option("deliveryGuarantee", "exactly-once")
        .option("transactionalIdPrefix", "barnabas-mirror")
        .option("checkpointLocation", options.checkpoint.path)
        .trigger(availableNow=True)
        .start()
    )
