"""One topic."""

from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.testing import EmbeddedBroker


def test_partitions_and_properties(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("described", 3, {"retention.ms": "86400000"})
    producer.send("described", "one", partition=2).result()
    answer = browser.get("/topics/described")
    assert answer.status_code == 200
    assert answer.text.count("Records of partition") == 3
    assert "retention.ms" in answer.text
    assert "86400000" in answer.text
    assert "set on the topic" in answer.text
    assert "segment.bytes" not in answer.text
    everything = browser.get("/topics/described", params={"all": "1"}).text
    assert "segment.bytes" in everything
    assert "default" in everything


def test_a_name_that_is_like_one_is_proposed(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("misspelled")
    answer = browser.get("/topics/mispelled")
    assert answer.status_code == 404
    assert "there is no topic mispelled; did you mean misspelled?" in answer.text


def test_many_partitions_come_in_pages(browser: TestClient, console_broker: EmbeddedBroker) -> None:
    console_broker.create_topic("wide", 120)
    assert browser.get("/topics/wide").text.count("Records of partition") == 50
    assert browser.get("/topics/wide?page=3").text.count("Records of partition") == 20
