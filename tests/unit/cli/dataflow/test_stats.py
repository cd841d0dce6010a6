"""Numbers as bars of text."""

from barnabas.cli.dataflow.stats import bars


def test_only_nothing_has_no_bar() -> None:
    assert bars([0, 1, 500, 1000]) == " ▁▄█"
    assert bars([0, 0]) == "  "
    assert bars([]) == ""
