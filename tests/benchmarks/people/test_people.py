"""What people wait for is measured: shortened runs of both groups."""

from benchmarks.people import console, terminal
from benchmarks.plan import Plan
from tests.commands.chromium import CHROMIUM


def test_commands_a_broker_and_a_scrape() -> None:
    rows = {row.measure: row for row in terminal.measure(Plan(rounds=1, scale=0.01))}
    assert len(rows["barnabas topics list"].ours) == terminal.TIMES
    assert min(rows["barnabas topics list"].ours) > 10
    assert min(rows["barnabas topics list, CPU"].ours) > 10
    assert min(rows["EmbeddedBroker, until ready"].ours) > 0.1
    assert min(rows["scrape of 100 partitions, size"].ours) > 0.01


def test_pages_of_a_console() -> None:
    rows = {row.measure: row for row in console.measure(Plan(rounds=1, scale=0.001))}
    (kilobytes,) = rows["list of topics, weight"].ours
    assert 5 < kilobytes < 200
    for where in ("at an offset", "at a time", "at the end"):
        assert min(rows[f"50 of 10,000 records {where}"].ours) > 0.1
    if CHROMIUM is not None:
        assert min(rows["first paint of a new console, overview"].ours) > 0.1
