import pytest

from benchmarks.broker.instructions import summary


def test_the_total_of_a_dump() -> None:
    assert summary("version: 1\nevents: Ir\nfn=(1) main\nsummary: 23429722\n") == 23429722


def test_a_dump_without_a_total_is_refused() -> None:
    with pytest.raises(ValueError, match="no line `summary:`"):
        summary("version: 1\n")
