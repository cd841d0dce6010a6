"""Check that results match the input: months against Parquet, hours against the topic.

This reads the source again, with code that shares nothing with the pipeline.
"""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from barnabas.errors import KafkaError


class CheckFailed(KafkaError):
    """Something is missing, doubled or changed; the message says what and by how much."""


class MonthTotals(NamedTuple):
    """The totals of one month; a cancelled flight has no arrival delay."""

    flights: int = 0
    distance: int = 0
    arr_delay: int = 0


class HourTotals(NamedTuple):
    """The totals of one origin's hour; a cancelled flight has not departed."""

    flights: int = 0
    departed: int = 0
    dep_delay: int = 0


class SourceTotals(NamedTuple):
    """Months by number; hours by origin and hour as in the source (2013-01-01T10:00:00Z)."""

    months: dict[int, MonthTotals]
    hours: dict[tuple[str, str], HourTotals]


def source_totals(path: Path) -> SourceTotals:
    """Sum up the packaged file, column by column."""
    months: dict[int, MonthTotals] = {}
    hours: dict[tuple[str, str], HourTotals] = {}
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as member:
        for row in csv.DictReader(io.TextIOWrapper(member, encoding="utf-8", newline="")):
            month = months.get(int(row["month"]), MonthTotals())
            months[int(row["month"])] = MonthTotals(
                month.flights + 1,
                month.distance + int(row["distance"]),
                month.arr_delay + _minutes(row["arr_delay"]),
            )
            place = (row["origin"], row["time_hour"])
            hour = hours.get(place, HourTotals())
            hours[place] = HourTotals(
                hour.flights + 1,
                hour.departed + (row["dep_delay"] != "NA"),
                hour.dep_delay + _minutes(row["dep_delay"]),
            )
    return SourceTotals(months, hours)


def parquet_totals(directory: Path) -> dict[int, MonthTotals]:
    """Sum up the pipeline's output with Arrow alone: neither Spark nor our driver."""
    import pyarrow.dataset as ds

    columns = ["month", "distance", "arr_delay"]
    table = ds.dataset(directory, format="parquet", partitioning="hive").to_table(columns=columns)
    sums = table.group_by("month").aggregate(
        [("month", "count"), ("distance", "sum"), ("arr_delay", "sum")]
    )
    return {
        row["month"]: MonthTotals(
            row["month_count"], row["distance_sum"] or 0, int(row["arr_delay_sum"] or 0)
        )
        for row in sums.to_pylist()
    }


def hour_totals(values: Iterable[bytes]) -> dict[tuple[str, str], HourTotals]:
    """The totals in the delays topic; of several records for one hour the last one counts."""
    hours = {}
    for value in values:
        text = json.loads(value)
        hours[text["origin"], text["hour"]] = HourTotals(
            text["flights"], text["departed"], int(text.get("dep_delay_sum") or 0)
        )
    return hours


def check_months(source: Mapping[int, MonthTotals], written: Mapping[int, MonthTotals]) -> None:
    """Compare month by month.

    Raises:
        CheckFailed: a record is missing or surplus, or has another distance or delay.
    """
    wrong = [
        f"month {month}: {name} {got} instead of {want}"
        for month in sorted(source.keys() | written.keys())
        for name, want, got in zip(
            MonthTotals._fields,
            source.get(month, MonthTotals()),
            written.get(month, MonthTotals()),
            strict=True,
        )
        if want != got
    ]
    if wrong:
        raise CheckFailed(f"Parquet does not match the input: {'; '.join(wrong)}")


def check_hours(
    source: Mapping[tuple[str, str], HourTotals], read: Mapping[tuple[str, str], HourTotals]
) -> None:
    """Compare hour by hour.

    Raises:
        CheckFailed: an hour is missing, surplus, or has other totals.
    """
    wrong = [place for place in source.keys() | read.keys() if source.get(place) != read.get(place)]
    if wrong:
        first = min(wrong)
        raise CheckFailed(
            f"{len(wrong)} hours of the delays topic do not match the input, the first is "
            f"{' '.join(first)}: {read.get(first)} instead of {source.get(first)}"
        )


def _minutes(text: str) -> int:
    return 0 if text == "NA" else int(text)
