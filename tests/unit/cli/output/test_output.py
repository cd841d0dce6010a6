"""Times and numbers in tables and beside them."""

import pytest

from barnabas.cli.output.moment import time_and_age
from barnabas.cli.output.output import Moment, show_rows

NOON_MS = 1_357_041_600_000
COLUMNS = ("name", "started_ms")
ROWS = [("rex", Moment(NOON_MS))]


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (0, ", now"),
        (59, ", 59 s ago"),
        (150, ", 2 min ago"),
        (7200, ", 2 h ago"),
        (200_000, ", 2 d ago"),
        (-5, ""),
    ],
)
def test_a_time_is_reported_with_its_age(seconds: int, age: str) -> None:
    when, _, _ = time_and_age(NOON_MS, NOON_MS).partition(",")
    assert when.startswith(("2013-01-01 ", "2013-01-02 "))
    assert time_and_age(NOON_MS, NOON_MS + seconds * 1000) == when + age


def test_what_no_calendar_has_is_reported_as_its_number() -> None:
    assert time_and_age(2**62, NOON_MS) == str(2**62)


def test_a_table_has_times_and_a_pipe_and_json_have_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show_rows(COLUMNS, ROWS, title="t", as_json=False)
    assert capsys.readouterr().out == f"rex\t{NOON_MS}\n"
    show_rows(COLUMNS, ROWS, title="t", as_json=True)
    assert capsys.readouterr().out == f'[{{"name": "rex", "started_ms": {NOON_MS}}}]\n'
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show_rows(COLUMNS, ROWS, title="t", as_json=False)
    table = capsys.readouterr().out
    assert "started ms" not in table
    assert "started" in table
    assert " d ago" in table


def test_numbers_are_set_to_the_right_also_where_one_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    rows = [("a", 7, None), ("b", None, None), ("c", 1000, None)]
    show_rows(("name", "lag", "started_ms"), rows, title="t", as_json=False)
    table = capsys.readouterr().out
    assert "│    7 │" in table
    assert "started" in table
    assert "started ms" not in table, "a time that nobody has is no count of ms either"


def test_a_name_that_others_chose_breaks_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows(("name", "of"), [("a\tb\n", ["c\x1b[2J"])], title="t", as_json=False)
    assert capsys.readouterr().out == "a\\tb\\n\tc\\x1b[2J\n"
    show_rows(("name",), [("a\tb\n",)], title="t", as_json=True)
    assert capsys.readouterr().out == '[{"name": "a\\tb\\n"}]\n'
