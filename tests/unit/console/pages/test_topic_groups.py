"""The groups that read a topic, of all kinds."""

import re

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.console.pages import topic_groups
from barnabas.testing import EmbeddedBroker

ROW = re.compile(
    r'<a href="/groups/one\?name=([\w-]+)">.*?</th><td>(\w+)</td><td>(\w+)</td>'
    r'<td class="n">(\d+)</td><td class="n">(\d+)</td>'
)


def test_groups_with_positions_or_members_in_a_topic(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, producer: Producer
) -> None:
    console_broker.create_topic("much-read", 2)
    console_broker.create_topic("little-read")
    for number in range(10):
        producer.send("much-read", str(number), partition=number % 2)
        producer.send("little-read", str(number))
    producer.flush()
    at_rest = {("much-read", 0): 2, ("little-read", 0): 9}
    admin.alter_group_offsets("topic-at-rest", at_rest)
    admin.alter_group_offsets("topic-elsewhere", {("little-read", 0): 0})
    admin.alter_share_group_offsets("topic-share", {("much-read", 1): 1})
    with Consumer(
        bootstrap_servers=console_broker.bootstrap_servers, group_id="topic-member"
    ) as member:
        member.subscribe(["much-read"])
        while not member.assignment():
            member.poll(0.1)
        text = browser.get("/topics/much-read/groups").text
    assert [row for row in ROW.findall(text) if row[0].startswith("topic-")] == [
        ("topic-at-rest", "classic", "Empty", "1", "3"),
        ("topic-member", "classic", "Stable", "2", "0"),
        ("topic-share", "share", "Empty", "1", "4"),
    ]
    assert 'href="/topics/much-read/groups"' in browser.get("/topics/much-read").text


def test_a_topic_that_nobody_reads_and_one_that_is_not_there(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("unread")
    assert "No group has a position in it" in browser.get("/topics/unread/groups").text
    assert browser.get("/topics/unread-at-all/groups").status_code == 404


def test_of_very_many_groups_the_page_says_how_many_it_asked(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    console_broker.create_topic("crowded")
    for number in range(3):
        admin.alter_group_offsets(f"0-crowd-{number}", {("crowded", 0): 0})
    monkeypatch.setattr(topic_groups, "_MOST_GROUPS", 2)
    text = browser.get("/topics/crowded/groups").text
    assert "Among the first 2 groups by name" in text
    assert [row[0] for row in ROW.findall(text)] == ["0-crowd-0", "0-crowd-1"]
