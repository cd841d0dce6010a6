"""The list of topics: fifty a page, of those that a name is part of."""

import re
from collections.abc import Callable

from starlette.testclient import TestClient

from barnabas import Admin, NewTopic, Producer
from barnabas.testing import EmbeddedBroker


def names(text: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="/topics/([^"/]+)">', text)


def test_a_filter_and_pages(opened: Callable[..., TestClient], admin: Admin) -> None:
    admin.create_topics([NewTopic(f"many-{one:03d}", 1, 1) for one in range(120)])
    browser = opened()
    first = browser.get("/topics", params={"q": "MANY-"})
    assert names(first.text) == [f"many-{one:03d}" for one in range(50)]
    assert "1 to 50 of 120" in first.text
    assert 'href="/topics?page=2&amp;q=MANY-"' in first.text
    last = browser.get("/topics", params={"q": "many-", "page": "99"})
    assert names(last.text) == [f"many-{one:03d}" for one in range(100, 120)]
    assert len(first.content) < 60_000


def test_records_and_bytes_are_counted(
    opened: Callable[..., TestClient], console_broker: EmbeddedBroker, producer: Producer
) -> None:
    console_broker.create_topic("counted", 2)
    for number in range(7):
        producer.send("counted", "x" * 1000, partition=number % 2)
    producer.flush()
    row = opened().get("/topics", params={"q": "counted"}).text.partition("/topics/counted")[2]
    assert re.findall(r'<td class="n">([^<]*)</td>', row)[:3] == ["2", "1", "7"]
    assert re.search(r'<td class="n">\d\.\d KB</td>', row)


def test_what_is_typed_is_text(browser: TestClient) -> None:
    answer = browser.get("/topics", params={"q": '"><script>alert(1)</script>\u202e'})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    # In the field it is as typed, elsewhere it is seen.
    assert answer.text.count("\u202e") == 1
    assert "\\u202e" in answer.text


def test_a_page_must_be_a_number(browser: TestClient) -> None:
    for wrong in ("x", "0", "-3", "9" * 30):
        answer = browser.get("/topics", params={"page": wrong})
        assert answer.status_code == 400
        assert "page must be" in answer.text
