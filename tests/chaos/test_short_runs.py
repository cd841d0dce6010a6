"""A short run of each kind; `make chaos` has longer ones."""

import pytest

from tests.chaos.run import run

SECONDS = 30.0

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


def test_brokers_of_ours_keep_every_promise() -> None:
    verdict = run(SECONDS, seed=1)
    assert not verdict.complaints
    assert verdict.faults
    assert verdict.acknowledged
    assert verdict.committed
    assert verdict.read


@pytest.mark.interop
@pytest.mark.java
def test_a_broker_of_kafka_among_ours() -> None:
    verdict = run(SECONDS, seed=2, kafkas=[3])
    assert not verdict.complaints
    assert verdict.faults
