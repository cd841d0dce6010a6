"""What a page says when the cluster says no, or nothing."""

from collections.abc import Callable

from starlette.testclient import TestClient


def test_brokers_that_do_not_answer_are_named(opened: Callable[..., TestClient]) -> None:
    answer = opened(servers="localhost:1").get("/topics")
    assert answer.status_code == 504
    assert "localhost:1" in answer.text
    assert 'role="alert"' in answer.text


def test_a_page_that_does_not_exist_says_so(browser: TestClient) -> None:
    answer = browser.get("/nothing")
    assert answer.status_code == 404
    assert "This is not possible" in answer.text
