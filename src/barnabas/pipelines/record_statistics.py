"""Statistics of a topic: rates, sizes, keys, skew and codecs. Reads it three times, in Spark's JVM."""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.batch_samples import CodecShare, sampled_codecs
from barnabas.pipelines.running import OnProgress, PipelineProgress, ignore
from barnabas.pipelines.topic_frames import ClusterAddress, present_ranges
from barnabas.spark.workers.worker_retries import despite_late_workers

_COLUMNS: Final = (
    "partition INT, timestamp TIMESTAMP, key BINARY, value BINARY, "
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)
_PARTS: Final = (0.5, 0.95, 0.99)
_ACCURACY: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsOptions:
    """The topic. `intervals`: into how many its time is divided; `top`: how many keys are listed."""

    cluster: ClusterAddress
    topic: str
    intervals: int = 60
    top: int = 10


@dataclass(frozen=True, slots=True)
class SizeStatistics:
    """Bytes of keys or values: null ones have none. The three in the middle are within 0.1 %."""

    total: int
    median: int
    p95: int
    p99: int
    most: int


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """One partition; `bytes` are those of keys and values. Times are ms since 1970, or None if empty."""

    partition: int
    records: int
    bytes: int
    null_keys: int
    null_values: int
    first_ms: int | None
    last_ms: int | None


@dataclass(frozen=True, slots=True)
class KeyCount:
    """A key with many records."""

    key: bytes
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Interval:
    """The records of [`start_ms`, `start_ms` + `length_ms`), by their timestamps."""

    start_ms: int
    length_ms: int
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class TopicStatistics:
    """The result. `distinct_keys` is an estimate, within 5 % mostly; `skew`: the largest partition.

    `skew` is in relation to the mean of all: 1 is even. `codecs` are of a sample of batches.
    """

    topic: str
    records: int
    bytes: int
    with_headers: int
    distinct_keys: int
    keys: SizeStatistics
    values: SizeStatistics
    partitions: list[PartitionStatistics]
    top_keys: list[KeyCount]
    rates: list[Interval]
    codecs: list[CodecShare]

    @property
    def skew(self) -> float:
        """The records of the largest partition in relation to the mean; 0 for an empty topic."""
        counts = [one.records for one in self.partitions]
        return max(counts, default=0) * len(counts) / self.records if self.records else 0.0


def topic_statistics(
    spark: SparkSession, options: StatisticsOptions, on_progress: OnProgress = ignore
) -> TopicStatistics:
    """Look at all records that a topic has now.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, there is no such topic.
        KafkaError, PySparkException: it cannot be read.
    """
    ranges = present_ranges(options.cluster, [options.topic])
    total = sum(end - ranges.starts[where] for where, end in ranges.ends.items())
    records = _measured(ranges.frame(spark, options.cluster, _COLUMNS))
    on_progress(PipelineProgress("partitions and sizes", 0, 0, total))
    rows = despite_late_workers(_by_partition(records).collect)
    whole = next((row for row in rows if row["partition"] is None), None)
    found = {row["partition"]: row for row in rows if row["partition"] is not None}
    on_progress(PipelineProgress("keys", 0, 0, total))
    keys = despite_late_workers(_top_keys(records, options.top).collect)
    on_progress(PipelineProgress("rates", 0, 0, total))
    rates = _rates(records, whole, options.intervals) if whole is not None else []
    on_progress(PipelineProgress("codecs", 0, total))
    return TopicStatistics(
        options.topic,
        whole["records"] if whole else 0,
        whole["bytes"] if whole else 0,
        whole["with_headers"] if whole else 0,
        whole["distinct_keys"] if whole else 0,
        _sizes(whole, "key"),
        _sizes(whole, "value"),
        [_partition(where.partition, found.get(where.partition)) for where in sorted(ranges.ends)],
        [KeyCount(bytes(row["key"]), row["records"], row["bytes"]) for row in keys],
        rates,
        sampled_codecs(options.cluster, ranges),
    )


def _measured(records: DataFrame) -> DataFrame:
    size = (f.coalesce(f.octet_length(f.col(name)), f.lit(0)) for name in ("key", "value"))
    key_bytes, value_bytes = size
    return records.select(
        *("partition", "key"),
        f.unix_millis("timestamp").alias("ms"),
        key_bytes.cast("long").alias("key_bytes"),
        value_bytes.cast("long").alias("value_bytes"),
        f.isnull("key").alias("null_key"),
        f.isnull("value").alias("null_value"),
        f.isnotnull("headers").alias("has_headers"),
    )


def _by_partition(records: DataFrame) -> DataFrame:
    """A row for each partition, and one of all, whose partition is null."""
    measures: list[Column] = [
        f.count("*").alias("records"),
        f.sum(f.col("key_bytes") + f.col("value_bytes")).alias("bytes"),
        f.count_if("null_key").alias("null_keys"),
        f.count_if("null_value").alias("null_values"),
        f.count_if("has_headers").alias("with_headers"),
        f.min("ms").alias("first_ms"),
        f.max("ms").alias("last_ms"),
        f.approx_count_distinct("key").alias("distinct_keys"),
    ]
    for name in ("key", "value"):
        size = f.col(f"{name}_bytes")
        there = f.when(~f.col(f"null_{name}"), size)
        measures += [
            f.sum(size).alias(f"{name}_total"),
            f.percentile_approx(there, list(_PARTS), _ACCURACY).alias(f"{name}_parts"),
            f.max(size).alias(f"{name}_most"),
        ]
    return records.rollup("partition").agg(*measures)


def _top_keys(records: DataFrame, count: int) -> DataFrame:
    of_bytes = f.sum(f.col("key_bytes") + f.col("value_bytes")).alias("bytes")
    grouped = records.where("not null_key").groupBy("key")
    rows = grouped.agg(f.count("*").alias("records"), of_bytes)
    return rows.orderBy(f.desc("records"), "key").limit(count)


def _rates(records: DataFrame, whole: Row, count: int) -> list[Interval]:
    first, last = whole["first_ms"], whole["last_ms"]
    if first is None:
        return []
    length = max(1, -(-(last + 1 - first) // count))
    number = f.floor((f.col("ms") - first) / length).alias("number")
    of_bytes = f.sum(f.col("key_bytes") + f.col("value_bytes")).alias("bytes")
    grouped = records.where("ms is not null").groupBy(number)
    rows = despite_late_workers(grouped.agg(f.count("*").alias("records"), of_bytes).collect)
    found = {row["number"]: (row["records"], row["bytes"]) for row in rows}
    intervals = range((last - first) // length + 1)
    return [Interval(first + one * length, length, *found.get(one, (0, 0))) for one in intervals]


def _sizes(row: Row | None, name: str) -> SizeStatistics:
    if row is None:
        return SizeStatistics(0, 0, 0, 0, 0)
    median, p95, p99 = row[f"{name}_parts"] or (0, 0, 0)
    return SizeStatistics(row[f"{name}_total"], median, p95, p99, row[f"{name}_most"])


def _partition(partition: int, row: Row | None) -> PartitionStatistics:
    if row is None:
        return PartitionStatistics(partition, 0, 0, 0, 0, None, None)
    names = ("records", "bytes", "null_keys", "null_values", "first_ms", "last_ms")
    return PartitionStatistics(partition, *(row[name] for name in names))
