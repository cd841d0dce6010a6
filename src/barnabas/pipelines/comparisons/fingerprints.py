"""Hashes of records, and their sums for each partition or key. All of it runs in Spark's JVM.

xxHash64 tells records apart that differ by accident, not by intent.
"""

from collections.abc import Collection, Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from barnabas.pipelines.comparisons.offset_check import hash_sum

COMPARED: Final = ("key", "value", "headers", "timestamp")
"""The fields that identify a record in two places. Offsets may differ."""

PARTITION: Final = ("topic", "partition")
KEY: Final = ("topic", "key_hash")
"""Within which records have an order: those of a partition, or those of a key in any partition."""


def hashed(records: DataFrame, columns: Collection[str], more: Sequence[Column] = ()) -> DataFrame:
    """Columns topic, partition, offset, key, key_hash, hash and `more`; `columns` are those of a record."""
    parts: list[Column] = []
    if "key" in columns:
        parts += _null_apart("key")
    if "value" in columns:
        parts += _null_apart("value")
    if "headers" in columns:
        parts.append(f.transform("headers", _header))
    if "timestamp" in columns:
        parts += _null_apart("timestamp")
    return records.select(
        *("topic", "partition", "offset", "key"),
        f.xxhash64(*_null_apart("key")).alias("key_hash"),
        f.xxhash64(*parts).alias("hash"),
        *more,
    )


def placed_sums(records: DataFrame) -> DataFrame:
    """For each partition: rows, sums of hashes, and sums of hashes together with their offsets."""
    sums = hash_sum(f.col("hash"), "hash")
    placed = hash_sum(f.xxhash64("offset", "hash"), "placed")
    return records.groupBy(*PARTITION).agg(f.count("*").alias("rows"), *sums, *placed)


def numbered(records: DataFrame, unit: Sequence[str]) -> DataFrame:
    """With column `position`: 0, 1, 2 ... within each unit. Records without a key have no order."""
    order = Window.partitionBy(*unit).orderBy("partition", "offset")
    position = (f.row_number().over(order) - 1).cast("long")
    if "key_hash" in unit:
        position = f.when(f.isnull("key"), f.lit(0).cast("long")).otherwise(position)
    return records.withColumn("position", position)


def ordered_sums(records: DataFrame, unit: Sequence[str]) -> DataFrame:
    """For each unit: rows, sums of hashes, and sums of hashes together with their positions."""
    sums = hash_sum(f.col("hash"), "hash")
    placed = hash_sum(f.xxhash64("position", "hash"), "placed")
    return numbered(records, unit).groupBy(*unit).agg(f.count("*").alias("rows"), *sums, *placed)


def _null_apart(name: str) -> list[Column]:
    # Spark's hash skips nulls: without the flag a null key and value "a" would be as key "a" and null.
    return [f.isnull(name), f.col(name)]


def _header(each: Column) -> Column:
    return f.xxhash64(each["key"], f.isnull(each["value"]), each["value"])
