"""Whether two places have the same records in the same order; where not, the first that differ.

Counts, checksums of all records and their order are compared for each partition, or for each key where
both sides spread their records otherwise. Only where these differ are single records looked at.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.comparisons.differences import Difference, first_differences
from barnabas.pipelines.comparisons.fingerprints import (
    COMPARED,
    KEY,
    PARTITION,
    hashed,
    ordered_sums,
    placed_sums,
)
from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
from barnabas.pipelines.running import OnProgress, PipelineProgress, ignore
from barnabas.pipelines.sides import Side
from barnabas.pipelines.target_topics import renamed
from barnabas.spark.workers.worker_retries import despite_late_workers

_SUMS = ("rows", "hash_low", "hash_high", "placed_low", "placed_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which records count as the same.

    `names`: the target's name of each topic of the source; by default the same name, or the only
    topic of each side. `columns`: of "key", "value", "headers", "timestamp". `by`: "partition", or
    "key": the records of each key are in the same order, whatever partitions they are in. `limit`:
    how many differences to return.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[str] = COMPARED
    by: Literal["partition", "key"] = "partition"
    limit: int = 20


@dataclass(frozen=True, slots=True)
class ComparedTopic:
    """The numbers of records of a topic on both sides; `partition` is None where keys were compared."""

    topic: str
    partition: int | None
    source_records: int
    target_records: int
    equal: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result: all partitions (or topics), and the first differences by topic and offset."""

    source: str
    target: str
    parts: list[ComparedTopic]
    differences: list[Difference]

    @property
    def equal(self) -> bool:
        """Whether both sides have the same records in the same order."""
        return all(part.equal for part in self.parts)

    def check(self) -> None:
        """Fail where something differs.

        Raises:
            RecordsDiffer: the first differences, as a sentence.
        """
        if self.equal:
            return
        wrong = [part for part in self.parts if not part.equal]
        counts = "; ".join(
            f"{part.topic}{'' if part.partition is None else f'-{part.partition}'} has "
            f"{part.target_records} of {part.source_records} records"
            for part in wrong[:3]
            if part.source_records != part.target_records
        )
        found = "; ".join(str(each) for each in self.differences[:3])
        raise RecordsDiffer(
            f"{self.target} differs from {self.source}: {'; '.join(filter(None, (counts, found)))}. "
            "`barnabas compare` lists more"
        )


def compare(
    spark: SparkSession,
    source: Side,
    target: Side,
    options: CompareOptions | None = None,
    on_progress: OnProgress = ignore,
) -> Comparison:
    """Compare all records of two sides, as of this call.

    Reads each side once where all is equal and offsets are, twice where only offsets differ.

    Raises:
        PipelineRefused: it is not clear which topic of the target belongs to one of the source.
        KafkaError, ConfigError, PySparkException: a side cannot be read.
    """
    options = options or CompareOptions()
    names = _paired(spark, source, target, options)
    left = hashed(_renamed(source.records(spark), names), options.columns)
    right = target.records(spark)
    right = hashed(right.where(right.topic.isin(list(names.values()))), options.columns)
    on_progress(PipelineProgress("compare", 0, 0))
    if options.by == "key":
        parts, wrong = _by_key(left, right)
    else:
        parts, wrong = _by_partition(left, right)
    found: list[Difference] = []
    if wrong is not None:
        on_progress(PipelineProgress("find differences", 0, sum(p.source_records for p in parts)))
        unit = KEY if options.by == "key" else PARTITION
        found = first_differences(
            left.join(f.broadcast(wrong), list(unit), "leftsemi"),
            right.join(f.broadcast(wrong), list(unit), "leftsemi"),
            unit,
            options.limit,
        )
    return Comparison(source.name, target.name, parts, found)


def _paired(
    spark: SparkSession, source: Side, target: Side, options: CompareOptions
) -> dict[str, str]:
    ours, theirs = source.topics(spark), target.topics(spark)
    if not options.names and len(ours) == len(theirs) == 1:
        return {ours[0]: theirs[0]}
    names = {topic: options.names.get(topic, topic) for topic in ours}
    if missing := sorted(set(names.values()) - set(theirs)):
        raise PipelineRefused(
            f"{target.name} has no topic {', '.join(missing)}; it has {', '.join(theirs) or 'none'}"
        )
    if more := sorted(set(theirs) - set(names.values())):
        raise PipelineRefused(
            f"{target.name} has {', '.join(more)} as well, and {source.name} has not: name the same "
            "topics on both sides"
        )
    return names


def _renamed(records: DataFrame, names: Mapping[str, str]) -> DataFrame:
    wanted = records.where(records.topic.isin(list(names)))
    if all(name == other for name, other in names.items()):
        return wanted
    return wanted.withColumn("topic", renamed(names))


def _by_partition(
    left: DataFrame, right: DataFrame
) -> tuple[list[ComparedTopic], DataFrame | None]:
    rows = _collected(_joined(placed_sums(left), placed_sums(right), PARTITION))
    wrong = [row for row in rows if not _same(row, _SUMS[:3])]
    moved = [row for row in rows if _same(row, _SUMS[:3]) and not _same(row, _SUMS)]
    if moved:
        # The same records with other offsets: then their order counts.
        places = _places(left, moved)
        ours, theirs = (
            ordered_sums(each.join(f.broadcast(places), list(PARTITION), "leftsemi"), PARTITION)
            for each in (left, right)
        )
        ordered = _collected(_joined(ours, theirs, PARTITION))
        wrong += [row for row in ordered if not _same(row, _SUMS)]
    differ = {(row["topic"], row["partition"]) for row in wrong}
    parts = [
        ComparedTopic(
            row["topic"],
            row["partition"],
            row["source_rows"],
            row["target_rows"],
            (row["topic"], row["partition"]) not in differ,
        )
        for row in rows
    ]
    return parts, _places(left, wrong) if wrong else None


def _by_key(left: DataFrame, right: DataFrame) -> tuple[list[ComparedTopic], DataFrame | None]:
    both = _joined(ordered_sums(left, KEY), ordered_sums(right, KEY), KEY)
    differs = f.expr("false")
    for name in _SUMS:
        differs |= f.col(f"source_{name}") != f.col(f"target_{name}")
    marked = both.withColumn("differs", differs)
    totals = marked.groupBy("topic").agg(
        f.sum("source_rows").alias("source_rows"),
        f.sum("target_rows").alias("target_rows"),
        f.count_if("differs").alias("wrong"),
    )
    parts = [
        ComparedTopic(row.topic, None, row.source_rows, row.target_rows, not row.wrong)
        for row in _collected(totals)
    ]
    if all(part.equal for part in parts):
        return parts, None
    keys = _collected(marked.where("differs").select(*KEY).limit(1000))
    return parts, left.sparkSession.createDataFrame(keys, "topic STRING, key_hash LONG")


def _joined(source: DataFrame, target: DataFrame, unit: Sequence[str]) -> DataFrame:
    ours = source.select(*unit, *(f.col(name).alias(f"source_{name}") for name in _SUMS))
    theirs = target.select(*unit, *(f.col(name).alias(f"target_{name}") for name in _SUMS))
    return ours.join(theirs, list(unit), "full").na.fill(0)


def _collected(frame: DataFrame) -> list[Row]:
    return sorted(despite_late_workers(frame.collect))


def _same(row: Row, names: Iterable[str]) -> bool:
    return all(row[f"source_{name}"] == row[f"target_{name}"] for name in names)


def _places(frame: DataFrame, rows: Iterable[Row]) -> DataFrame:
    places = [(row["topic"], row["partition"]) for row in rows]
    return frame.sparkSession.createDataFrame(places, "topic STRING, partition INT")
