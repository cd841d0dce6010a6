"""Groups of all kinds, and their lag."""

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.testing import EmbeddedBroker


@pytest.fixture(scope="module")
def readers(console_broker: EmbeddedBroker) -> Iterator[None]:
    """Groups of three kinds that read "grouped", of 30 records in two partitions."""
    servers = console_broker.bootstrap_servers
    console_broker.create_topic("grouped", 2)
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(30):
            producer.send("grouped", str(number), partition=number % 2)
    with Admin(bootstrap_servers=servers) as admin:
        admin.alter_group_offsets("grouped-at-rest", {("grouped", 0): 5})
        admin.alter_share_group_offsets("grouped-share", {("grouped", 1): 3})
    with (
        Consumer(bootstrap_servers=servers, group_id="grouped-classic") as classic,
        Consumer(
            bootstrap_servers=servers, group_id="grouped-new", group_protocol="consumer",
            auto_offset_reset="earliest", client_id="rex",
        ) as new,
    ):  # fmt: skip
        classic.subscribe(["grouped"])
        new.subscribe(["grouped"])
        while not (classic.assignment() and new.assignment()):
            classic.poll(0.1)
            new.poll(0.1)
        new.commit()
        yield


@pytest.mark.usefixtures("readers")
def test_groups_of_all_kinds_with_lag(browser: TestClient) -> None:
    text = browser.get("/groups?q=GROUPED-").text
    rows = re.findall(
        r'<a href="/groups/one\?name=([\w-]+)">.*?</th><td>(\w+)</td><td>(\w+)</td>'
        r'<td class="n">(\d+)</td><td class="n">(\d+)</td><td class="n">(\d+)</td>',
        text,
    )
    assert [row[:4] for row in rows] == [
        ("grouped-at-rest", "classic", "Empty", "0"),
        ("grouped-classic", "classic", "Stable", "1"),
        ("grouped-new", "consumer", "Stable", "1"),
        ("grouped-share", "share", "Empty", "0"),
    ]
    assert rows[0][5] == "10"
    assert rows[3][5] == "12"


@pytest.mark.usefixtures("readers")
def test_one_kind(browser: TestClient) -> None:
    text = browser.get("/groups?q=grouped-&kind=share").text
    assert re.findall(r'<a href="/groups/one\?name=([\w-]+)">', text) == ["grouped-share"]
    assert browser.get("/groups?kind=other").status_code == 400


@pytest.mark.usefixtures("readers")
def test_a_group_has_members_and_positions(browser: TestClient) -> None:
    text = browser.get("/groups/one?name=grouped-new").text
    assert "rex" in text
    assert "grouped:0, grouped:1" in text
    assert "end them" in text
    at_rest = browser.get("/groups/one?name=grouped-at-rest").text
    assert 'aria-label="Records from 5"' in at_rest
    assert "Move it to other offsets" in at_rest


@pytest.mark.usefixtures("readers")
def test_a_group_that_is_not_there(browser: TestClient) -> None:
    answer = browser.get("/groups/one?name=groped-clasic")
    assert answer.status_code == 404
    assert "there is no group groped-clasic; did you mean grouped-classic" in answer.text


def test_groups_that_no_application_made_are_marked(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin
) -> None:
    console_broker.create_topic("marked")
    names = ["spark-barnabas-f09f-0", "spark-barnabas-replay-q-1", "spark-of-somebody"]
    for name in names:
        admin.alter_group_offsets(name, {("marked", 0): 1})
    text = browser.get("/groups?q=spark-").text
    marks = re.findall(
        r'name=(spark-[\w-]+)">[^<]+</a>\s*(?:<small title="[^"]+">(\w+)</small>)?', text
    )
    assert marks == list(zip(names, ["Spark", "replay", ""], strict=True))
