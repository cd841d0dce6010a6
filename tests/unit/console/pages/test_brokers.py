"""Brokers, their directories and properties."""

from starlette.testclient import TestClient

from barnabas.testing import EmbeddedBroker


def test_directories_with_sizes(browser: TestClient, console_broker: EmbeddedBroker) -> None:
    for path in ("/brokers", "/brokers/1"):
        answer = browser.get(path)
        assert answer.status_code == 200
        assert str(console_broker.data_dir) in answer.text
        assert " GB" in answer.text


def test_properties_by_name_and_origin(browser: TestClient) -> None:
    text = browser.get("/brokers/1").text
    assert "log.dirs" in text
    assert "log.retention.hours" not in text
    everything = browser.get("/brokers/1?all=1&q=LOG.retention").text
    assert "log.retention.hours" in everything
    assert "log.dirs" not in everything
    assert "default" in everything


def test_a_broker_that_is_not_there(browser: TestClient) -> None:
    answer = browser.get("/brokers/77")
    assert answer.status_code == 404
    assert "there is no broker 77 now; there are 1" in answer.text
