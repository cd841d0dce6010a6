"""Topics to partitioned Parquet, each record exactly once, with all of its fields.

A streaming query: a run archives the present records, and the next run continues after them. See
`archive_files` for the layout.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from barnabas.client.core.admin.descriptions import EARLIEST
from barnabas.pipelines.archive_files import FOLDERS, ArchiveDirectory
from barnabas.pipelines.archives.batch_ledger import BatchLedger
from barnabas.pipelines.comparisons.offset_check import differing_offsets, offset_sums, unequal
from barnabas.pipelines.errors import RecordsDiffer
from barnabas.pipelines.running import OnProgress, PipelineProgress, ignore, run_available
from barnabas.pipelines.topic_frames import (
    RECORD,
    ClusterAddress,
    TopicRanges,
    bounds,
    partitions_of,
)
from barnabas.pipelines.topic_identities import TopicIdentities, identities
from barnabas.types import TopicPartition

_OFFSETS = "topic STRING, partition INT, offset LONG"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions:
    """The topics to archive, and the directory.

    `directory`: a path or URI; one archive each, also for several topics. `records_per_batch`: how
    many records become one file of each partition at most, all partitions together.
    """

    source: ClusterAddress
    topics: Sequence[str]
    directory: str
    records_per_batch: int = 1_000_000


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """The result of a run: what it added, and what it compared at its end.

    `checked`: the number of archived records of each partition that the topic still has, all of
    which are in the archive once.
    """

    batches: int
    records: int
    checked: dict[TopicPartition, int]


def archive(
    spark: SparkSession, options: ArchiveOptions, on_progress: OnProgress = ignore
) -> ArchiveResult:
    """Archive what the topics have now; go on where the last run ended.

    Columns: topic, partition, offset, timestamp (an instant), timestampType, key, value, headers,
    batch. At the end the offsets in the archive are compared with those in the topics, and with what its
    batches wrote.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, one of the topics does not exist.
        PipelineRefused: the directory has files but no checkpoint, a topic is another than at the last
            run, or files are missing or doubled whose records the topics have no more.
        RecordsDiffer: a record is missing from the archive, or is there twice.
        PySparkException: Spark failed; records that were deleted before they were read are an error.
    """
    into = ArchiveDirectory(options.directory)
    begun = into.identity(spark) is not None
    with options.source.admin() as admin:
        topics = partitions_of(admin, options.topics)
        present = identities(admin, "source", {topic: topic for topic in topics})
    TopicIdentities(spark, f"{into.path.rstrip('/')}/_topics", begun=begun).keep(present)
    done = run_available("archive", lambda: _start(spark, options, into), on_progress)
    on_progress(PipelineProgress("check", done.batches, done.records))
    return ArchiveResult(done.batches, done.records, _check(spark, options, into))


def _start(spark: SparkSession, options: ArchiveOptions, into: ArchiveDirectory) -> StreamingQuery:
    records = (
        options.source.reading(spark.readStream, options.topics)
        .schema(RECORD)
        .option("includeHeaders", "true")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", options.records_per_batch)
        .load()
    )
    return (
        records.writeStream.queryName("archive")
        .foreachBatch(lambda batch, number: _write(batch, number, into))
        .option("checkpointLocation", into.checkpoint.path)
        .trigger(availableNow=True)
        .start()
    )


def _write(batch: DataFrame, number: int, into: ArchiveDirectory) -> None:
    """Write one micro-batch, in place of what an earlier attempt at it has written."""
    # The query has a session of its own. Spark's default is a type that Parquet has given up.
    batch.sparkSession.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    (
        batch.withColumn("batch", f.lit(number).cast("long"))
        .sortWithinPartitions(*FOLDERS, "offset")
        .write.mode("overwrite")
        .option("partitionOverwriteMode", "dynamic")
        .option("compression", "zstd")
        .option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
        .partitionBy(*FOLDERS)
        .parquet(into.path)
    )
    BatchLedger(into.path).enter(batch.sparkSession, number)


def _check(
    spark: SparkSession, options: ArchiveOptions, into: ArchiveDirectory
) -> dict[TopicPartition, int]:
    """Compare the offsets of the archive with those that the topics still have."""
    archived_to = into.checkpoint.ends(spark)
    ends = {where: end for where, end in archived_to.items() if where.topic in options.topics}
    if not ends:
        return {}  # The topics have no records yet.
    with options.source.admin() as admin:
        starts = bounds(admin, ends, EARLIEST, options.source)
    ranges = TopicRanges({w: min(at, ends[w]) for w, at in starts.items()}, ends)
    source = ranges.frame(spark, options.source, _OFFSETS)
    begins = spark.createDataFrame(
        [(where.topic, where.partition, at) for where, at in ranges.starts.items()],
        "topic STRING, partition INT, begin LONG",
    )
    archived = (
        into.records(spark)
        .select("topic", "partition", "offset")
        .join(f.broadcast(begins), ["topic", "partition"])
        .where("offset >= begin")
        .select("topic", "partition", "offset")
    )
    expected, found = offset_sums(source), offset_sums(archived)
    if wrong := unequal(expected, found):
        raise RecordsDiffer(
            f"the archive {into.path} differs from its topics in {len(wrong)} partitions: "
            f"{differing_offsets(source, archived, wrong)}. Archive them again into another directory"
        )
    topics = sorted({where.topic for where in ends})
    BatchLedger(into.path).check(spark, into.records(spark), topics, contents=False)
    return {where: sums.rows for where, sums in expected.items()}
