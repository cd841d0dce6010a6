"""The console's pages against a Kafka that we did not write, and against ours."""

import re

import pytest
from confluent_kafka import Producer as TheirProducer
from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.console.application import create_application
from barnabas.console.settings import ConsoleSettings
from tests.interop.brokers import InteropBroker, wait_for
from tests.unit.console.forms import confirm, hidden_fields

pytestmark = pytest.mark.interop


def test_every_page_and_every_change(group_broker: InteropBroker) -> None:
    servers = group_broker.bootstrap_servers
    topic = group_broker.new_topic(partitions=3)
    theirs = TheirProducer({"bootstrap.servers": servers})
    for number in range(90):
        theirs.produce(
            topic, f'{{"n": {number}}}', key=str(number), partition=number % 3,
            timestamp=1_600_000_000_000 + number, headers=[("h", b"v")],
        )  # fmt: skip
    assert theirs.flush(60) == 0
    application = create_application(ConsoleSettings({"bootstrap.servers": servers}))
    with TestClient(application, base_url="http://localhost") as browser:
        overview = browser.get("/").text
        assert "controller" in overview
        listed = browser.get("/topics", params={"q": topic}).text
        assert '<td class="n">90</td>' in listed
        described = browser.get(f"/topics/{topic}?all=1").text
        assert "retention.ms" in described
        assert "set on the topic" in described
        assert "default" in described
        _browses(browser, topic)
        _moves_a_group(browser, servers, topic)
        _changes(browser, servers, topic)
        brokers = browser.get("/brokers").text
        assert "<code" in brokers
        (node,) = re.findall(r'<a href="/brokers/(\d+)">', brokers)
        properties = browser.get(f"/brokers/{node}?all=1").text
        assert "log.retention.hours" in properties
        assert "server.properties" in properties
        assert browser.get("/quotas").status_code == 200
        _shows_a_transaction(browser, servers, topic)


def _browses(browser: TestClient, topic: str) -> None:
    path = f"/topics/{topic}/records"
    rows = re.compile(r'/records/(\d)/(\d+)" title="The whole record"')
    newest = rows.findall(browser.get(f"{path}?count=25").text)
    assert newest == [(str(one % 3), str(one // 3)) for one in range(89, 64, -1)]
    assert len(rows.findall(browser.get(f"{path}?from=time&time=1600000000080").text)) == 10
    assert rows.findall(browser.get(f"{path}?json=n%3D17").text) == [("2", "5")]
    assert rows.findall(browser.get(f"{path}?from=offset&offset=28&partition=1").text) == [
        ("1", "28"), ("1", "29"),
    ]  # fmt: skip
    whole = browser.get(f"{path}/1/28").text
    assert "&#34;n&#34;: 85" in whole
    lines = browser.get(f"{path}/download?from=beginning&kind=jsonl").text.splitlines()
    assert len(lines) == 90


def _moves_a_group(browser: TestClient, servers: str, topic: str) -> None:
    group = f"group-{topic}"
    with Consumer(
        bootstrap_servers=servers, group_id=group, auto_offset_reset="earliest"
    ) as reader:
        reader.subscribe([topic])
        while not reader.poll(0.2):
            pass
        reader.commit()
        wait_for(lambda: "Stable" in browser.get(f"/groups/one?name={group}").text)
        assert "end them" in browser.get(f"/groups/one?name={group}").text
    wait_for(lambda: "Empty" in browser.get(f"/groups/one?name={group}").text)
    row = f'href="/groups/one?name={group}"'
    wait_for(lambda: row in browser.get("/groups", params={"q": group}).text)
    text = browser.get(f"/groups/one/reset?name={group}&to=offset&offset=7&topic={topic}").text
    assert confirm(browser, f"/groups/one/reset?name={group}", text).status_code == 303
    with Admin(bootstrap_servers=servers) as admin:
        assert {one.offset for one in admin.list_group_offsets(group).values()} == {7}
    assert "<dd>69</dd>" in browser.get(f"/groups/one?name={group}").text


def _changes(browser: TestClient, servers: str, topic: str) -> None:
    path = f"/topics/{topic}/property"
    own = hidden_fields(browser.get(f"{path}?name=max.message.bytes").text)
    text = browser.post(path, data=own | {"action": "set", "value": "2000000"}).text
    assert confirm(browser, path, text).status_code == 303
    wait_for(lambda: "2000000" in browser.get(f"/topics/{topic}").text)
    made = f"{topic}-made"
    own = hidden_fields(browser.get("/create-topic").text)
    text = browser.post("/create-topic", data=own | {"name": made, "partitions": "2"}).text
    assert confirm(browser, "/create-topic", text).status_code == 303
    with Admin(bootstrap_servers=servers) as admin:
        wait_for(lambda: made in admin.list_topics())
        wait_for(lambda: browser.get(f"/topics/{made}").status_code == 200)
        own = hidden_fields(browser.get(f"/topics/{made}/produce").text)
        form = own | {"value": "by a form", "partition": "1"}
        text = browser.post(f"/topics/{made}/produce", data=form).text
        stored = confirm(browser, f"/topics/{made}/produce", text)
        assert stored.status_code == 303
        assert "by a form" in browser.get(stored.headers["Location"]).text
        text = browser.get(f"/topics/{made}/delete").text
        assert confirm(browser, f"/topics/{made}/delete", text, name=made).status_code == 303
        wait_for(lambda: made not in admin.list_topics())
    refused = browser.post("/create-topic", data=own | {"name": "a b"})
    assert refused.status_code == 400


def _shows_a_transaction(browser: TestClient, servers: str, topic: str) -> None:
    name = f"id-{topic}"
    with Producer(bootstrap_servers=servers, transactional_id=name) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(topic, "open", partition=2)
        producer.flush()
        assert name in browser.get("/transactions?state=Ongoing").text
        assert "Ongoing" in browser.get(f"/transactions/one?id={name}").text
        assert "None hangs" in browser.get(f"/transactions/hanging?topic={topic}").text
        producer.abort_transaction()
    # The marker at the end is no record.
    newest = browser.get(f"/topics/{topic}/records?partition=2&count=25").text
    assert "open" in newest
