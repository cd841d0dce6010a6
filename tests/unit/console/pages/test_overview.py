"""The overview and what moves on it."""

import asyncio
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Producer
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.testing import EmbeddedBroker


def test_it_shows_brokers_and_counts(browser: TestClient, console_broker: EmbeddedBroker) -> None:
    answer = browser.get("/")
    assert answer.status_code == 200
    assert f"127.0.0.1:{console_broker.port}" in answer.text
    assert "controller" in answer.text
    assert 'href="#main"' in answer.text


def test_lag_and_rates_move(opened: Callable[..., TestClient]) -> None:
    with EmbeddedBroker() as broker:
        servers = broker.bootstrap_servers
        broker.create_topic("moving")
        browser = opened(servers=servers)
        sampler = browser.app.state.rates  # type: ignore[attr-defined]
        assert browser.portal is not None
        with (
            Producer(bootstrap_servers=servers) as producer,
            Admin(bootstrap_servers=servers) as admin,
        ):
            for number in range(10):
                producer.send("moving", str(number))
            producer.flush()
            admin.alter_group_offsets("movers", {("moving", 0): 4})
            first = browser.portal.call(sampler.following)
            assert first.lag == 6
            assert first.records_in is None
            producer.send("moving", "more").result()
            admin.alter_group_offsets("movers", {("moving", 0): 9})
            second = browser.portal.call(sampler.following)
            assert second.lag == 2
            assert second.records_in > 0
            assert second.records_out > second.records_in
            assert [name for name, _ in second.busiest] == ["moving"]


def test_a_cluster_of_one_topic(opened: Callable[..., TestClient]) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("only")
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.alter_group_offsets("one", {("only", 0): 0})
        text = opened(servers=broker.bootstrap_servers).get("/?whole=1").text
    assert "<dt>Partitions</dt><dd>1</dd>" in text
    assert ", with 1 internal topic of 50 partitions</caption>" in text
    assert '<tr><td colspan="2">…</td></tr>' in text


def test_the_first_page_waits_for_its_lists_at_the_same_time(
    opened: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()

    async def described(_cluster: ClusterState) -> None:
        await asyncio.wait_for(asked.wait(), 20)

    async def topics(_cluster: ClusterState) -> None:
        asked.set()

    monkeypatch.setattr(ClusterState, "described_soon", described)
    monkeypatch.setattr(ClusterState, "topics_soon", topics)
    assert "whole=1" in opened().get("/").text
