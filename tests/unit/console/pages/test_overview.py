"""The overview and what moves on it."""

from collections.abc import Callable

from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.testing import EmbeddedBroker


def test_it_shows_brokers_and_counts(browser: TestClient, console_broker: EmbeddedBroker) -> None:
    answer = browser.get("/")
    assert answer.status_code == 200
    assert f"127.0.0.1:{console_broker.port}" in answer.text
    assert "controller" in answer.text
    assert 'href="#main"' in answer.text


def test_lag_and_rates_move(
    opened: Callable[..., TestClient], console_broker: EmbeddedBroker, producer: Producer
) -> None:
    servers = console_broker.bootstrap_servers
    console_broker.create_topic("overview-moving")
    for number in range(10):
        producer.send("overview-moving", str(number))
    producer.flush()
    with Consumer(bootstrap_servers=servers, group_id="overview-group") as consumer:
        consumer.assign([("overview-moving", 0)])
        consumer.commit({("overview-moving", 0): 4})
    browser = opened()
    sampler = browser.app.state.rates  # type: ignore[attr-defined]
    assert browser.portal is not None
    first = browser.portal.call(sampler.following)
    assert first.lag == 6
    assert first.records_in is None
    producer.send("overview-moving", "more").result()
    with Admin(bootstrap_servers=servers) as admin:
        admin.alter_group_offsets("overview-group", {("overview-moving", 0): 9})
    second = browser.portal.call(sampler.following)
    assert second.lag == 2
    assert second.records_in > 0
    assert second.records_out > second.records_in
    assert [name for name, _ in second.busiest] == ["overview-moving"]
