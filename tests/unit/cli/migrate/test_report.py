"""The report at the end, on a terminal and elsewhere."""

import json
import sys

import pytest

from barnabas.cli.migrate.group_moves import KEPT, MOVED
from barnabas.cli.migrate.report import DONE, MigrationReport


def report() -> MigrationReport:
    made = MigrationReport("dogs to cats", DONE, {"topic": "dogs"})
    made.partitions = [(0, "1-0", 5, 10**12, 10**10, 3, 7, 10**10, 2)]
    made.left_out = [(0, "1-0", 8, 15, "damaged")]
    made.not_yet = [(0, "1-0", 20, 25, "cut off")]
    made.groups = [("kennel", "1-0", 0, 5, 1, None, MOVED), ("farm", "1-0", 0, 5, 1, 9, KEPT)]
    return made


def test_lines_for_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    report().show(as_json=False)
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "0\t1-0\t5\t1000000000000\t10000000000\t3\t7\t10000000000\t2",
        "kennel\t1-0\t0\t5\t1\t\tmoved",
        "farm\t1-0\t0\t5\t1\t9\tkept",
    ]
    assert printed.err.splitlines() == [
        "left out: 1-0 from byte 8 to 15: damaged",
        "not yet: 1-0 from byte 20 to 25: cut off; the next run tries again",
    ]


def test_a_terminal_of_80_columns_shows_all_digits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    report().show(as_json=False)
    printed = capsys.readouterr()
    assert "1000000000000" in printed.out
    assert "10000000000" in printed.out.replace("1000000000000", "")
    assert "retention has already deleted 2 records of the target" in printed.err


def test_json_and_whether_it_failed(capsys: pytest.CaptureFixture[str]) -> None:
    made = report()
    made.show(as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed["topic"] == "dogs"
    assert printed["partitions"][0]["compared"] == 10**10
    assert printed["left_out"][0]["why"] == "damaged"
    assert printed["not_yet"][0]["first_byte"] == 20
    assert [row["state"] for row in printed["groups"]] == ["moved", "kept"]
    assert not made.failed
    assert made.groups is not None
    made.groups = [(*made.groups[0][:-1], "refused: it has members")]
    assert made.failed
