import zipfile
from pathlib import Path

import pytest

from barnabas.demo.checking import (
    CheckFailed,
    HourTotals,
    MonthTotals,
    check_hours,
    check_months,
    hour_totals,
    parquet_totals,
    source_totals,
)

HEAD = "month,dep_delay,arr_delay,origin,distance,time_hour"
FLIGHTS = [
    "1,2,11,EWR,1400,2013-01-01T10:00:00Z",
    "1,-3,NA,EWR,200,2013-01-01T10:00:00Z",
    "2,NA,NA,JFK,1089,2013-02-01T10:00:00Z",
]
MONTHS = {1: MonthTotals(2, 1600, 11), 2: MonthTotals(1, 1089, 0)}
HOURS = {
    ("EWR", "2013-01-01T10:00:00Z"): HourTotals(2, 2, -1),
    ("JFK", "2013-02-01T10:00:00Z"): HourTotals(1, 0, 0),
}


def test_the_source_adds_up_by_month_and_by_hour(tmp_path: Path) -> None:
    path = tmp_path / "flights.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flights.csv", "\n".join([HEAD, *FLIGHTS]) + "\n")
    totals = source_totals(path)
    assert totals.months == MONTHS
    assert totals.hours == HOURS


def test_parquet_adds_up_by_month(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    ds = pytest.importorskip("pyarrow.dataset")
    table = pa.table(
        {"month": [1, 1, 2], "distance": [1400, 200, 1089], "arr_delay": [11.0, None, None]}
    )
    ds.write_dataset(
        table, tmp_path, format="parquet", partitioning=["month"], partitioning_flavor="hive"
    )
    (tmp_path / "_spark_metadata").mkdir()
    (tmp_path / "_spark_metadata" / "0").write_text("v1")
    assert parquet_totals(tmp_path) == MONTHS


def test_the_last_record_of_an_hour_counts() -> None:
    values = [
        b'{"origin":"EWR","hour":"h","flights":1,"departed":1,"dep_delay_sum":5.0}',
        b'{"origin":"EWR","hour":"h","flights":2,"departed":2,"dep_delay_sum":-1.0}',
        b'{"origin":"JFK","hour":"h","flights":1,"departed":0}',
    ]
    assert hour_totals(values) == {("EWR", "h"): HourTotals(2, 2, -1), ("JFK", "h"): HourTotals(1)}


def test_equal_totals_pass() -> None:
    check_months(MONTHS, dict(MONTHS))
    check_hours(HOURS, dict(HOURS))


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (MONTHS | {1: MonthTotals(1, 1400, 11)}, "month 1: flights 1 instead of 2"),
        (MONTHS | {1: MonthTotals(3, 1800, 11)}, "month 1: flights 3 instead of 2"),
        (MONTHS | {1: MonthTotals(2, 1600, 12)}, "month 1: arr_delay 12 instead of 11"),
        ({1: MONTHS[1]}, "month 2: flights 0 instead of 1"),
        (MONTHS | {3: MonthTotals(1, 1, 1)}, "month 3: flights 1 instead of 0"),
    ],
    ids=["missing", "doubled", "changed", "month missing", "month too much"],
)
def test_one_record_makes_the_check_fail(written: dict[int, MonthTotals], why: str) -> None:
    with pytest.raises(CheckFailed, match=why):
        check_months(MONTHS, written)


@pytest.mark.parametrize("place", sorted(HOURS))
def test_one_hour_makes_the_check_fail(place: tuple[str, str]) -> None:
    less = {other: total for other, total in HOURS.items() if other != place}
    changed = HOURS | {place: HOURS[place]._replace(dep_delay=7)}
    for read in (less, changed):
        with pytest.raises(CheckFailed, match="1 hours of the delays topic"):
            check_hours(HOURS, read)
