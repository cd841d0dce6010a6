"""Numbers that are counted up once."""

import pytest

from barnabas.records.columns.ascending import ascending


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 65536, 65537])
@pytest.mark.parametrize("kind", ["i", "q"])
def test_there_are_as_many_as_asked_for(kind: str, count: int) -> None:
    numbers = ascending(kind, count)
    assert numbers.tolist() == list(range(count))
    assert numbers.format == kind


def test_few_are_kept_and_many_are_not() -> None:
    assert ascending("i", 500).obj is ascending("i", 700).obj
    assert ascending("i", 70_000).obj is not ascending("i", 70_000).obj
