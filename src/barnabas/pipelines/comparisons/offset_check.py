"""Whether two frames have the same offsets: each once, none missing. Reads no keys and no values."""

from collections.abc import Mapping
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from barnabas.spark.workers.worker_retries import despite_late_workers
from barnabas.types import TopicPartition

_SHOWN = 5


class HashSum(NamedTuple):
    """The number of rows, and the sums of both halves of their 64-bit hashes.

    The order of the rows does not matter. A row that is doubled changes it, two equal rows too.
    """

    rows: int = 0
    low: int = 0
    high: int = 0


def hash_sum(hashed: Column, name: str) -> list[Column]:
    """Two aggregates, `name`_low and `name`_high, which do not overflow below 2³¹ rows."""
    low = hashed.bitwiseAND(f.lit(0xFFFFFFFF).cast("long"))
    high = f.shiftrightunsigned(hashed, 32)
    return [f.sum(low).alias(f"{name}_low"), f.sum(high).alias(f"{name}_high")]


def offset_sums(records: DataFrame) -> dict[TopicPartition, HashSum]:
    """Number and hashes of the offsets of each partition, from columns topic, partition, offset."""
    sums = hash_sum(f.xxhash64("offset"), "offset")
    grouped = records.groupBy("topic", "partition").agg(f.count("*").alias("rows"), *sums)
    return {
        TopicPartition(row["topic"], row["partition"]): HashSum(*row[2:])
        for row in despite_late_workers(grouped.collect)
    }


def unequal(
    expected: Mapping[TopicPartition, HashSum], found: Mapping[TopicPartition, HashSum]
) -> list[TopicPartition]:
    """The partitions whose offsets differ."""
    nothing = HashSum()
    places = expected.keys() | found.keys()
    return sorted(w for w in places if expected.get(w, nothing) != found.get(w, nothing))


def differing_offsets(expected: DataFrame, found: DataFrame, places: list[TopicPartition]) -> str:
    """A few offsets that are missing, surplus or doubled in the partitions, as text."""
    inside = f.expr("false")
    for where in places[:_SHOWN]:
        inside |= (f.col("topic") == where.topic) & (f.col("partition") == where.partition)
    keys = ["topic", "partition", "offset"]
    left = expected.where(inside).groupBy(keys).agg(f.count("*").alias("wanted"))
    right = found.where(inside).groupBy(keys).agg(f.count("*").alias("there"))
    both = left.join(right, keys, "full").na.fill(0, ["wanted", "there"])
    rows = both.where("wanted <> there").orderBy(keys).limit(_SHOWN)
    return "; ".join(
        f"{row.topic}-{row.partition} offset {row.offset} {_times(row.wanted, row.there)}"
        for row in despite_late_workers(rows.collect)
    )


def _times(wanted: int, there: int) -> str:
    if not there:
        return "is missing"
    return "is surplus" if not wanted else f"is there {there} times"
