"""The bars on a terminal, and their absence elsewhere and where nobody waits."""

import io
import sys

import click
import pytest

from barnabas.cli.output.progress import ProgressBars, progress_bars


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as stderr, until the test ends."""
    out = Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("COLUMNS", "100")
    return out


def test_a_bar_for_each_step_in_its_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    bars = ProgressBars(watched=True, unit="bytes")
    bars.begin("1-0 copied", 2_000_000)
    bars.show()
    bars.advance(500_000)
    bars.advance(1_500_000)
    bars.begin("[1-0] compared", 3000, unit="records")
    bars.reach(3000, 3000)
    bars.close()
    shown = terminal.getvalue()
    assert "1-0 copied" in shown
    assert "2.0 MB of 2.0 MB" in shown
    assert "[1-0] compared" in shown
    assert "3,000 of 3,000" in shown


def test_a_step_of_another_name_goes_on_in_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    bars = ProgressBars(watched=True, unit="records")
    bars.begin("moving", 10)
    bars.show()
    bars.reach(5, 10, "moving 1 of 2 partitions")
    bars.reach(10, 10, "moved")
    bars.close()
    last = terminal.getvalue().replace("\r", "\n").splitlines()[-2]
    assert "moved" in last
    assert "10 of 10" in last
    assert "moving" not in last


def test_nobody_knows_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    bars = ProgressBars(watched=True, unit="records")
    bars.begin("compare", None)
    bars.show()
    bars.reach(7, None)
    bars.close()
    assert "compare" in terminal.getvalue()


def test_what_ends_soon_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress_bars(quiet=False, unit="bytes") as bars:
        assert bars.watched
        bars.begin("copied", 10)
        bars.advance(10)
    bars.show()
    assert not terminal.getvalue()


@pytest.mark.parametrize(("quiet", "out"), [(True, Terminal()), (False, io.StringIO())])
def test_where_nobody_watches_nothing_is_drawn(
    monkeypatch: pytest.MonkeyPatch, out: io.StringIO, *, quiet: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", out)
    with progress_bars(quiet=quiet, unit="bytes") as bars:
        bars.begin("copied", 10)
        bars.show()
        bars.advance(10)
    assert not out.getvalue()


def test_output_to_a_file_stays_out_of_the_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    file = io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    bars = ProgressBars(watched=True, unit="bytes")
    bars.begin("verifying", 10)
    bars.show()
    click.echo("a fault")
    bars.close()
    assert file.getvalue() == "a fault\n"
    assert "a fault" not in terminal.getvalue()
