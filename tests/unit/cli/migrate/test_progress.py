"""The bars on a terminal, and their absence elsewhere."""

import io
import sys

import pytest

from barnabas.cli.migrate.progress import MigrationProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("quiet", "terminal"), [(False, True), (True, True), (False, False)])
def test_a_bar_for_each_step(
    monkeypatch: pytest.MonkeyPatch, *, quiet: bool, terminal: bool
) -> None:
    out = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("COLUMNS", "100")
    with MigrationProgress(quiet=quiet) as progress:
        for what, total in (("1-0 bytes copied", 2000), ("1-0 records compared", 0)):
            progress.begin(what, total)
            progress.advance(total)
            progress.advance(0)
    shown = "1-0 bytes copied" in out.getvalue() and "2,000 of 2,000" in out.getvalue()
    assert shown == (terminal and not quiet)
    assert bool(out.getvalue()) == shown
