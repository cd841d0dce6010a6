"""What a page says when the cluster says no, or nothing."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin
from barnabas.testing import EmbeddedBroker


def test_brokers_that_do_not_answer_are_named(opened: Callable[..., TestClient]) -> None:
    answer = opened(servers="localhost:1").get("/topics")
    assert answer.status_code == 504
    assert "localhost:1" in answer.text
    assert 'role="alert"' in answer.text


def test_a_page_that_does_not_exist_says_so(browser: TestClient) -> None:
    answer = browser.get("/nothing")
    assert answer.status_code == 404
    assert "<h1>Not found</h1>" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/topics/a%2Fb", "/brokers/x", f"/brokers/{'9' * 5000}", f"/topics/x/records/0/{'9' * 5000}"],
)
def test_paths_that_name_nothing(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code in (400, 404)


def test_an_old_broker_reports_less_and_its_pages_are_there(
    opened: Callable[..., TestClient],
) -> None:
    with EmbeddedBroker(profile="0.10.2") as broker:
        broker.create_topic("old")
        browser = opened(servers=broker.bootstrap_servers)
        for path in (
            "/",
            "/topics",
            "/topics/old?all=1",
            "/topics/old/records",
            "/groups",
            "/brokers",
        ):
            assert browser.get(path).status_code == 200, path
        for path in ("/quotas", "/transactions"):
            answer = browser.get(path)
            assert answer.status_code == 501
            assert "which needs Kafka" in answer.text
        for path in ("/topics/old", "/topics/old?all=1", "/brokers/1"):
            assert "reports none: it is older than Kafka 0.11" in browser.get(path).text
        # Asked for by name, it would be created.
        assert browser.get("/topics/odl").status_code == 404
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            assert list(admin.list_topics()) == ["old"]


def test_an_error_has_a_way_back_to_a_page_of_ours(browser: TestClient) -> None:
    ours = {"Referer": "http://localhost:8080/topics?q=%3Cdog"}
    assert (
        'href="/topics?q=%3Cdog">Back to the page before' in browser.get("/none", headers=ours).text
    )
    for other in ("http://evil.example/topics", "//evil.example/", ""):
        assert "Back to" not in browser.get("/none", headers={"Referer": other}).text
    twisted = browser.get("/none", headers={"Referer": "http://localhost:8080//evil.example/"}).text
    assert 'href="/evil.example/"' in twisted
