import math

from barnabas.demo.checking import HourTotals
from barnabas.demo.plot import by_hour, day_by_hour

HOURS = {
    ("EWR", "2013-01-01T10:00:00Z"): HourTotals(200, 200, 1000),  # 5:00 in New York
    ("EWR", "2013-07-01T10:00:00Z"): HourTotals(200, 100, 1000),  # 6:00 in summer
    ("JFK", "2013-01-01T10:00:00Z"): HourTotals(3, 0, 0),
}


def test_cells_are_days_and_hours_of_new_york() -> None:
    cells = day_by_hour(HOURS, "EWR")
    assert cells[0][0] == 5
    assert cells[1][181] == 10
    assert sum(not math.isnan(cell) for row in cells for cell in row) == 2


def test_an_hour_in_which_nothing_left_has_no_mean() -> None:
    assert all(math.isnan(cell) for row in day_by_hour(HOURS, "JFK") for cell in row)
    assert by_hour(HOURS, "JFK") == []
    assert by_hour(HOURS, "EWR") == [(5, 5.0)]
