import pytest

from barnabas.client.core.cluster.retry import Backoff


class FixedEntropy:
    """Chance that always says the same."""

    def __init__(self, fraction: float) -> None:
        self._fraction = fraction

    def below(self, bound: int) -> int:
        return int(self._fraction * bound)

    def fraction(self) -> float:
        return self._fraction

    def uuid(self) -> bytes:
        return bytes(16)


def test_no_wait_before_the_first_failure() -> None:
    assert Backoff(100, 1000, FixedEntropy(0.5)).seconds(0) == 0


def test_waits_double_up_to_the_maximum() -> None:
    backoff = Backoff(100, 1000, FixedEntropy(0.5))
    waits = [backoff.seconds(failures) for failures in (1, 2, 3, 4, 5, 1000)]
    assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])


@pytest.mark.parametrize(("fraction", "expected"), [(0.0, 0.08), (1.0, 0.12)])
def test_a_wait_is_off_by_up_to_a_fifth(fraction: float, expected: float) -> None:
    assert Backoff(100, 1000, FixedEntropy(fraction)).seconds(1) == pytest.approx(expected)
