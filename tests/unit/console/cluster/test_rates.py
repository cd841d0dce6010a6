"""Sampling goes on while somebody watches, and ends when nobody does."""

import asyncio
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas.console.cluster import rates


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interval that is longer than the time after which nobody watches, as in a large cluster."""
    monkeypatch.setattr(rates, "_EVERY_S", 0.05)
    monkeypatch.setattr(rates, "_SHARE", 0)
    monkeypatch.setattr(rates, "_UNWATCHED_S", 0.01)


def test_who_waits_gets_the_next_sample_however_long_it_takes(browser: TestClient) -> None:
    sampler: rates.RateSampler = browser.app.state.rates  # type: ignore[attr-defined]

    async def watch() -> list[rates.ClusterRates]:
        return [await sampler.following() for _ in range(4)]

    assert browser.portal is not None
    found = browser.portal.call(watch)
    assert found[0].records_in is None
    assert found[-1].records_in is not None


def test_brokers_that_are_gone_are_a_problem_and_no_end(opened: Callable[..., TestClient]) -> None:
    browser = opened(servers="localhost:1")
    sampler: rates.RateSampler = browser.app.state.rates  # type: ignore[attr-defined]

    async def watch() -> None:
        for _ in range(2):
            await asyncio.wait_for(sampler.following(), 60)

    assert browser.portal is not None
    browser.portal.call(watch)
    assert "localhost:1" in sampler.problem
