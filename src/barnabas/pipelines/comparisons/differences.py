"""The first records that two sides do not share, or have in another order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as f

from barnabas.pipelines.comparisons.fingerprints import numbered
from barnabas.spark.workers.worker_retries import despite_late_workers

Kind = Literal["missing", "surplus", "doubled", "order"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One record that differs; offsets are None on a side that lacks it.

    `kind`: "missing" in the target, "surplus" there (a record that was changed is one of each),
    "doubled", or "order": at the place of the source's record the target has another one.
    """

    topic: str
    kind: Kind
    source_partition: int | None
    source_offset: int | None
    target_partition: int | None
    target_offset: int | None
    key: bytes | None

    def __str__(self) -> str:
        """As part of a sentence."""
        ours = f"{self.topic}-{self.source_partition} offset {self.source_offset}"
        theirs = f"{self.topic}-{self.target_partition} offset {self.target_offset}"
        return {
            "missing": f"the source's {ours} is missing",
            "surplus": f"the target's {theirs} is surplus",
            "doubled": f"the source's {ours} is doubled at {theirs}",
            "order": f"the source's {ours} has another record in its place, at {theirs}",
        }[self.kind]


def first_differences(
    source: DataFrame, target: DataFrame, unit: Sequence[str], limit: int
) -> list[Difference]:
    """At most `limit` differences by topic, partition and offset.

    `source` and `target` are frames of `fingerprints.hashed`, of the partitions or keys (`unit`) that
    differ.
    """
    found = _collected(_unequal_counts(source, target, unit), limit)
    return found or _collected(_other_places(source, target, unit), limit)


def _unequal_counts(source: DataFrame, target: DataFrame, unit: Sequence[str]) -> DataFrame:
    """The records that one side has more often than the other."""
    ours, theirs = _counted(source, unit, "source", f.min), _counted(target, unit, "target", f.max)
    both = ours.join(theirs, [*unit, "hash"], "full").na.fill(0, ["source_rows", "target_rows"])
    kind = (
        f.when(f.col("source_rows") > f.col("target_rows"), "missing")
        .when(f.col("source_rows") == 0, "surplus")
        .otherwise("doubled")
    )
    return both.where("source_rows <> target_rows").withColumn("kind", kind)


def _counted(
    records: DataFrame, unit: Sequence[str], side: str, which: Callable[[Column], Column]
) -> DataFrame:
    """The count of each record, and its first or last place."""
    one = which(f.struct("partition", "offset", "key"))
    return records.groupBy(*unit, "hash").agg(
        f.count("*").alias(f"{side}_rows"), one.alias(f"{side}_record")
    )


def _other_places(source: DataFrame, target: DataFrame, unit: Sequence[str]) -> DataFrame:
    """The places within a unit at which both sides have another record."""
    record = f.struct("partition", "offset", "key")
    ours, theirs = (
        numbered(frame, unit).select(
            *unit, "position", f.col("hash").alias(f"{side}_hash"), record.alias(f"{side}_record")
        )
        for frame, side in ((source, "source"), (target, "target"))
    )
    both = ours.join(theirs, [*unit, "position"])
    return both.where("source_hash <> target_hash").withColumn("kind", f.lit("order"))


def _collected(frame: DataFrame, limit: int) -> list[Difference]:
    first = f.coalesce("source_record", "target_record")
    rows = frame.orderBy("topic", first["partition"], first["offset"]).limit(limit)
    wanted = rows.select("topic", "kind", "source_record", "target_record")
    return [_difference(row) for row in despite_late_workers(wanted.collect)]


def _difference(row: Row) -> Difference:
    ours, theirs = row.source_record, row.target_record
    key = (ours or theirs).key
    return Difference(
        row.topic,
        row.kind,
        ours and ours.partition,
        ours and ours.offset,
        theirs and theirs.partition,
        theirs and theirs.offset,
        None if key is None else bytes(key),
    )
