"""Deleting records: first shown, then confirmed, and never more than was shown."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import EARLIEST, Admin, Producer, TopicPartition
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm


def starts(admin: Admin, topic: str, partitions: int) -> list[int]:
    places = [TopicPartition(topic, one) for one in range(partitions)]
    found = admin.list_offsets(dict.fromkeys(places, EARLIEST))
    return [found[where].offset for where in places]


@pytest.mark.parametrize(
    ("query", "then"),
    [
        ("to=latest", [10, 10]),
        ("to=latest&partitions=1", [0, 10]),
        ("to=offset&offset=7", [7, 7]),
        ("to=time&time=11000", [6, 5]),
        ("to=by&by=3", [3, 3]),
        ("to=by&by=300", [10, 10]),
    ],
)
def test_records_are_deleted_after_a_preview(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, query: str, then: list[int]
) -> None:
    console_broker.create_topic("thinned", 2, {"retention.ms": "-1"})
    try:
        with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
            for number in range(20):
                producer.send(
                    "thinned", str(number), partition=number % 2, timestamp_ms=number * 1000
                )
        text = browser.get(f"/topics/thinned/delete-records?{query}").text
        assert "What would be deleted" in text
        assert starts(admin, "thinned", 2) == [0, 0]
        with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
            producer.send("thinned", "after the page was shown", partition=1).result()
        answer = confirm(browser, "/topics/thinned/delete-records", text)
        assert answer.status_code == 303, answer.text
        assert starts(admin, "thinned", 2) == then
        assert "The records were deleted." in browser.get(answer.headers["Location"]).text
    finally:
        admin.delete_topics(["thinned"])


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("to=earliest", "Nothing: there are no records before that."),
        ("to=by&by=-1", "Nothing: there are no records before that."),
        ("to=offset&offset=-1", "offset must be between 0 and"),
        ("to=time&time=noon", "time must be as"),
        ("to=latest&partitions=7", "has no partition 7"),
        ("to=all", "to must be one of"),
    ],
)
def test_what_deletes_nothing_says_so(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, producer: Producer,
    query: str, sentence: str,
) -> None:  # fmt: skip
    if "unthinned" not in admin.list_topics():
        console_broker.create_topic("unthinned")
    producer.send("unthinned", "stays").result()
    text = browser.get(f"/topics/unthinned/delete-records?{query}").text
    assert sentence in text
    assert "Show what would be deleted" in text
    assert starts(admin, "unthinned", 1) == [0]


def test_a_compacted_topic_keeps_its_records(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("compacted-only", 1, {"cleanup.policy": "compact"})
    producer.send("compacted-only", "stays", "key").result()
    path = "/topics/compacted-only/delete-records"
    refused = confirm(browser, path, browser.get(f"{path}?to=latest").text)
    assert refused.status_code == 400
    assert "cleanup.policy" in refused.text


def test_a_plan_of_another_topic_or_a_foreign_form_deletes_nothing(
    browser: TestClient, opened: Callable[..., TestClient], console_broker: EmbeddedBroker,
    admin: Admin, producer: Producer,
) -> None:  # fmt: skip
    for name in ("shown-topic", "other-topic"):
        console_broker.create_topic(name)
        producer.send(name, "stays").result()
    path = "/topics/shown-topic/delete-records"
    text = browser.get(f"{path}?to=latest").text
    refused = confirm(browser, path, text, plan="other-topic:0=1")
    assert refused.status_code == 400
    assert "not of other-topic" in refused.text
    assert confirm(browser, path, text, plan="").status_code == 400
    fields = {"plan": "shown-topic:0=1", "token": "x"}
    assert browser.post(path, data=fields).status_code == 403
    assert opened(read_only=True).post(path, data=fields).status_code == 403
    assert starts(admin, "shown-topic", 1) == starts(admin, "other-topic", 1) == [0]
