"""Tables of terminals of any width: what is in them can be read, and is what it is."""

import pytest

from barnabas.cli.output.tables import Column, show_table

NAME = "payments-of-all-shops-7f38190a"
COLUMNS = (Column("group"), Column("member id", short=True), Column("lag", right=True))
ROWS = [
    [NAME, "a-very-long-name-of-a-member-that-is-time_and_age-elsewhere", "7"],
    ["[/b]", "", "1"],
]


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    show_table(COLUMNS, ROWS, "Groups [/i]")
    return capsys.readouterr().out


def test_names_in_brackets_are_no_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, monkeypatch, 120)
    assert all(text in out for text in ("Groups [/i]", "[/b]", *ROWS[0]))


def test_only_what_may_be_short_is_cut_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, monkeypatch, 60)
    assert NAME in out
    assert "a-very-long…" in out
    assert max(map(len, out.splitlines())) <= 60
    out = shown(capsys, monkeypatch, 30)
    first = [line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")]
    assert "".join(first) == NAME + "[/b]"


def test_rows_are_blocks_of_lines_where_no_table_could_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, monkeypatch, 20)
    assert out.splitlines() == [
        *("Groups [/i]", "", f"group      {NAME}", f"member id  {ROWS[0][1]}", "lag        7"),
        *("", "group      [/b]", "lag        1"),
    ]
