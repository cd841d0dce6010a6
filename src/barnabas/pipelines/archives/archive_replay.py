"""An archive back into topics: each record exactly once, in its partition, order and time.

The archive's batches are written one after another, each as transactions that also keep its number;
a run that is started again continues after the last one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.archive_files import ArchiveDirectory
from barnabas.pipelines.archives.batch_ledger import BatchLedger
from barnabas.pipelines.archives.replay_state import SINK, ReplayState
from barnabas.pipelines.comparisons.comparison import CompareOptions, Comparison, compare
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.retention import warn_of_old_records
from barnabas.pipelines.running import OnProgress, PipelineProgress, ignore
from barnabas.pipelines.sides import ArchiveSide, TopicSide
from barnabas.pipelines.target_topics import (
    check_empty,
    ensure_topics,
    renamed,
    target_names,
    written_ranges,
)
from barnabas.pipelines.topic_frames import ClusterAddress
from barnabas.spark.sink.foreach_batch import ExactlyOnce
from barnabas.spark.workers.worker_retries import despite_late_workers
from barnabas.types import TopicPartition

QUERY: Final = "sql.streaming.queryId"
"""The property in which Spark's tasks find the id of their query."""

NEW_TOPIC: Final[Mapping[str, str | None]] = {
    # By the broker's defaults records of long ago would be deleted at once.
    "retention.ms": "-1",
    "message.timestamp.type": "CreateTime",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The topics to replay, and their target.

    `topics`: of the archive, by default all. `names`: the new name of a topic, by default its own.
    `tasks`: how many transactions write a batch; keep it the same from the first run to the last.
    """

    directory: str
    target: ClusterAddress
    topics: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    tasks: int = 4


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a run: what it wrote, and the comparison of all with the archive."""

    batches: int
    records: int
    comparison: Comparison


def replay(
    spark: SparkSession, options: ReplayOptions, on_progress: OnProgress = ignore
) -> ReplayResult:
    """Write what is in the archive and not yet in the topics; then compare both.

    Topics that do not exist are made with as many partitions as were archived, and keep their records
    for ever (`retention.ms=-1`). Offsets are new: transactions take some, too.

    Raises:
        PipelineRefused: there is no such archive or topic in it, a topic has too few partitions or
            records of others, files of the archive are missing, doubled or changed, or the session is one of
            Spark Connect.
        RecordsDiffer: a record is missing, doubled, changed or out of order at the end.
        KafkaError, PySparkException: the brokers or Spark failed.
    """
    if not isinstance(spark, SparkSession):
        raise PipelineRefused(
            "a replay needs a classic session: Spark Connect names tasks no query"
        )
    archive = ArchiveDirectory(options.directory)
    identity = archive.existing(spark)
    ends = archive.chosen(spark, options.topics)
    names = target_names({where.topic for where in ends}, options.names)
    BatchLedger(archive.path).check(spark, archive.records(spark), list(names), contents=True)
    with options.target.admin() as admin:
        wanted = {names[topic]: 0 for topic in names}
        for where in ends:
            wanted[names[where.topic]] = max(wanted[names[where.topic]], where.partition + 1)
        counts = ensure_topics(admin, wanted, dict.fromkeys(wanted, NEW_TOPIC))
        state = ReplayState.of(admin, identity, names, options.tasks)
        done = state.committed(admin)
        if done is None:
            check_empty(options.target, admin, counts)
            warn_of_old_records(admin, _oldest(archive.records(spark), names), options.target)
    records = archive.records(spark)
    records = records.where(records.topic.isin(list(names)))
    written = _write_all(records, names, state, options, -1 if done is None else done, on_progress)
    on_progress(PipelineProgress("compare", written.batches, written.records))
    with options.target.admin() as admin:
        places = [TopicPartition(names[where.topic], where.partition) for where in ends]
        ranges = written_ranges(admin, places, options.target)
    found = compare(
        spark,
        ArchiveSide(options.directory, list(names)),
        TopicSide(options.target, list(names.values()), ranges),
        CompareOptions(names=names),
    )
    found.check()
    return ReplayResult(written.batches, written.records, found)


def _oldest(records: DataFrame, names: Mapping[str, str]) -> dict[str, int]:
    """By the topic's new name the oldest timestamp of its records, in milliseconds."""
    rows = records.where(records.topic.isin(list(names))).groupBy("topic")
    found = rows.agg(f.unix_millis(f.min("timestamp")).alias("oldest")).collect()
    return {names[row.topic]: row.oldest for row in found if (row.oldest or -1) >= 0}


def _write_all(
    records: DataFrame,
    names: Mapping[str, str],
    state: ReplayState,
    options: ReplayOptions,
    done: int,
    on_progress: OnProgress,
) -> PipelineProgress:
    counts = records.where(records.batch > done).groupBy("batch").count().collect
    left = {row["batch"]: row["count"] for row in despite_late_workers(counts)}
    progress = PipelineProgress("replay", 0, 0, sum(left.values()))
    on_progress(progress)
    sink = ExactlyOnce(SINK, options.target.options())
    with _as_query(records.sparkSession, state.query):
        for batch in sorted(left):
            rows = _rows(records, batch, names, state.tasks)
            # A batch that is written again skips what is committed.
            despite_late_workers(partial(sink, rows, batch))
            progress = PipelineProgress(
                "replay",
                progress.batches + 1,
                progress.records + left[batch],
                progress.left - left[batch],
            )
            on_progress(progress)
    return progress


def _rows(records: DataFrame, batch: int, names: Mapping[str, str], tasks: int) -> DataFrame:
    """The records of a batch as rows for the sink: those of a partition in one task, in order."""
    return (
        records.where(records.batch == batch)
        .repartition(tasks, "topic", "partition")
        .sortWithinPartitions("topic", "partition", "offset")
        .select(
            renamed(names),
            *("partition", "key", "value", "headers", "timestamp"),
        )
    )


@contextmanager
def _as_query(spark: SparkSession, query: str) -> Iterator[None]:
    """Set the id of the query for tasks of this thread's jobs, as Spark does for a stream."""
    context = spark.sparkContext
    before = context.getLocalProperty(QUERY)
    context.setLocalProperty(QUERY, query)
    try:
        yield
    finally:
        context.setLocalProperty(QUERY, before)  # type: ignore[arg-type]
