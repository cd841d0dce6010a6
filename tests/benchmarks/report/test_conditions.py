import pytest

from benchmarks.report.conditions import conditions, python_build


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CONFIG_ARGS": "'--enable-optimizations' '--with-lto'"}, "optimised (PGO, LTO)"),
        ({"CONFIG_ARGS": "'--enable-optimizations'"}, "optimised (PGO)"),
        ({"CONFIG_ARGS": "'--enable-shared'", "prefix": "/opt/python"}, "not optimised"),
        ({"CONFIG_ARGS": None, "prefix": "/usr"}, "of the distribution"),
    ],
)
def test_the_pythons_build_is_reported(variables: dict[str, object], expected: str) -> None:
    assert expected in python_build(variables)


def test_a_trial_says_how_short_it_was() -> None:
    assert "3 rounds, 0.1 times the length" in conditions("make bench", 3, 0.1).load
    assert "times the length" not in conditions("make bench", 3, 1).load
