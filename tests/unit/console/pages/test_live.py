"""Records as they come."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.console.pages import live as live_page
from barnabas.console.pages.live import live
from barnabas.testing import EmbeddedBroker


def asking(browser: TestClient, topic: str, query: str) -> Request:
    """A request of a browser that stays."""

    async def receive() -> Any:
        await asyncio.Event().wait()

    scope = {
        "type": "http", "app": browser.app, "method": "GET", "headers": [],
        "path_params": {"topic": topic}, "query_string": query.encode(),
    }  # fmt: skip
    return Request(scope, receive)


def events(
    browser: TestClient,
    topic: str,
    query: str,
    produce: Callable[[], object],
    is_last: Callable[[dict[str, Any]], object] = lambda news: news.get("rows"),
) -> list[dict[str, Any]]:
    """The first event after `produce` that is the last one, by default with rows, and those before."""

    async def watch() -> list[dict[str, Any]]:
        response: Any = await live(asking(browser, topic, query))
        found: list[dict[str, Any]] = []
        async for part in response.body_iterator:
            found.append(json.loads(part.removeprefix("data: ")))
            if len(found) == 1:
                await asyncio.to_thread(produce)
            if is_last(found[-1]) or found[-1].get("problem"):
                break
        await response.body_iterator.aclose()
        return found

    assert browser.portal is not None
    found: list[dict[str, Any]] = browser.portal.call(watch)
    return found


def test_only_what_comes_from_now_on_and_fits(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("followed", 2)
    producer.send("followed", "before", partition=1).result()

    def produce() -> None:
        producer.send("followed", "other", partition=1)
        producer.send("followed", "<b>new</b>", partition=0)
        producer.flush()

    begun, *_, news = events(browser, "followed", "value=new", produce)
    assert begun == {"rows": [], "more": 0, "next": {"at": "0:0,1:1"}}
    (row,) = news["rows"]
    assert "&lt;b&gt;new&lt;/b&gt;" in row
    assert "/topics/followed/records/0/0" in row
    assert browser.app.state.streams.count == 0  # type: ignore[attr-defined]


def test_what_is_too_much_to_look_at_is_counted(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("flooded")

    def produce() -> None:
        for number in range(500):
            producer.send("flooded", str(number))
        producer.flush()

    shown, left = 0, 0

    def is_last(news: dict[str, Any]) -> bool:
        nonlocal shown, left
        shown, left = shown + len(news["rows"]), left + news["more"]
        assert len(news["rows"]) <= 50
        return bool(shown + left >= 500)

    events(browser, "flooded", "", produce, is_last)
    assert shown + left == 500
    assert left > 0


def test_an_interrupted_page_goes_on_where_it_was(
    browser: TestClient, console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("resumed", 2)
    for number in range(6):
        producer.send("resumed", f"missed {number}", partition=number % 2).result()
    begun, *_, news = events(browser, "resumed", "at=0:2,1:1", lambda: None)
    assert begun["next"] == {"at": "0:2,1:1"}
    text = "".join(news["rows"])
    assert "missed 4" in text
    assert "missed 2" not in text


def test_brokers_that_do_not_answer_are_reported(
    opened: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_page, "_ASKED_EVERY", 1)
    with EmbeddedBroker() as broker:
        broker.create_topic("silenced")
        browser = opened(servers=broker.bootstrap_servers)
        *_, quiet = events(browser, "silenced", "", lambda: None, lambda news: "trouble" in news)
        assert quiet["trouble"] == ""
        *_, news = events(browser, "silenced", "", broker.stop, lambda news: news.get("trouble"))
    assert "No records can be read: " in news.get("trouble", "") + news.get("problem", "")


@pytest.mark.parametrize(("query", "status"), [("partition=9", 404), ("json=.", 400), ("", 503)])
def test_what_is_wrong_is_named(
    browser: TestClient, console_broker: EmbeddedBroker, query: str, status: int
) -> None:
    name = f"unfollowed-{status}"
    console_broker.create_topic(name)
    if status == 503:
        browser.app.state.streams.count = 32  # type: ignore[attr-defined]
    assert browser.portal is not None
    with pytest.raises(HTTPException) as refused:
        browser.portal.call(live, asking(browser, name, query))
    assert refused.value.status_code == status
