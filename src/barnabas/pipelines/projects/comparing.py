"""Compare expected rows with actual ones: missing, doubled, unexpected, out of order."""

from dataclasses import dataclass, field
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, DoubleType, FloatType, MapType, StructType

SHOWN: Final = 5
"""How many differences of each kind are shown."""

_DIGITS: Final = 6
"""Sums of doubles depend on the order of addition after this many decimals."""


@dataclass(slots=True)
class RowComparison:
    """The expected and actual numbers of rows, the differences by kind, and the first of them."""

    expected: int
    actual: int
    missing: int = 0
    doubled: int = 0
    unexpected: int = 0
    disordered: int = 0
    first: list[str] = field(default_factory=list)


def compare(expected: DataFrame, actual: DataFrame) -> RowComparison:
    """Compare two frames of the same columns as multisets. A row that is there twice is doubled."""
    wanted, found = _comparable(expected).cache(), _comparable(actual).cache()
    result = RowComparison(wanted.count(), found.count())
    missing, extra = wanted.exceptAll(found).cache(), found.exceptAll(wanted).cache()
    known = wanted.select(_row().alias("row"))
    doubled = extra.withColumn("row", _row()).join(known, "row", "left_semi").drop("row")
    result.missing, result.doubled = missing.count(), doubled.count()
    result.unexpected = extra.count() - result.doubled
    if result.missing:
        result.first += _first("missing", missing)
    if result.doubled:
        result.first += _first("doubled", doubled)
    if result.unexpected:
        result.first += _first("unexpected", extra.exceptAll(doubled))
    for each in (wanted, found, missing, extra):
        each.unpersist()
    return result


def compare_order(expected: DataFrame, actual: DataFrame, result: RowComparison) -> None:
    """Add the keys whose values are in another order; both frames have their rows in theirs."""
    here, there = _sequences(expected, "expected"), _sequences(actual, "actual")
    other = here.join(there, "key").where("expected != actual").select("key").cache()
    result.disordered = other.count()
    if result.disordered:
        result.first += _first("out of order", _comparable(other))
    other.unpersist()


def _sequences(rows: DataFrame, name: str) -> DataFrame:
    """A checksum of each key's values in their order."""
    numbered = rows.select("key", "value").withColumn("place", f.monotonically_increasing_id())
    values = f.sort_array(f.collect_list(f.struct("place", "value")))
    texts = f.transform(values, lambda one: f.coalesce(f.hex(one["value"]), f.lit("null")))
    by_key = numbered.where("key IS NOT NULL").groupBy("key")
    return by_key.agg(f.sha2(f.concat_ws(",", texts), 256).alias(name))


def _comparable(rows: DataFrame) -> DataFrame:
    return rows.select(*(_plain(rows, each.name).alias(each.name) for each in rows.schema))


def _plain(rows: DataFrame, name: str) -> Column:
    kind, column = rows.schema[name].dataType, rows[f"`{name}`"]
    if isinstance(kind, DoubleType | FloatType):
        return f.round(column, _DIGITS)
    if isinstance(kind, MapType | StructType):
        return f.to_json(column)
    return column


def _row() -> Column:
    """All columns as one value that is never null."""
    return f.to_json(f.struct("*"), {"ignoreNullFields": "false"})


def _first(kind: str, rows: DataFrame) -> list[str]:
    readable = [
        f.col(f"`{each.name}`").cast("string").alias(each.name)
        if isinstance(each.dataType, BinaryType)
        else f.col(f"`{each.name}`")
        for each in rows.schema
    ]
    found = rows.orderBy(*rows.columns).limit(SHOWN).select(*readable).collect()
    return [
        f"{kind}: " + " ".join(f"{name}={value}" for name, value in row.asDict().items())
        for row in found
    ]
