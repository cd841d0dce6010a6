"""Pages of a large cluster: shown before its lists are there, and with few requests of few bytes."""

import re
from collections.abc import Callable, Iterator

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, NewTopic
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing import EmbeddedBroker
from barnabas.testing.faults.fault import SeenRequest

Opened = Callable[..., TestClient]

PAGES = ("/", "/topics", "/groups")
ROW = '<tr><th scope="row">'
LIGHT = 40_000
"""Bytes of a page, of the 200 KB that it may have."""


@pytest.fixture(autouse=True)
def patient() -> None:
    """Here pages wait no longer than they do for users."""


@pytest.fixture(scope="module", params=[120, pytest.param(10_000, marks=pytest.mark.long)])
def many(request: pytest.FixtureRequest) -> Iterator[tuple[EmbeddedBroker, int]]:
    """A broker with many topics, and their number."""
    count: int = request.param
    with EmbeddedBroker() as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            for first in range(0, count, 1000):
                numbers = range(first, min(count, first + 1000))
                admin.create_topics([NewTopic(f"topic-{one:05d}", 1, 1) for one in numbers])
            admin.alter_group_offsets("readers", {("topic-00000", 0): 0})
        yield broker, count


def asks_for_lists(asked: SeenRequest) -> bool:
    """Whether a request is about the whole cluster."""
    return asked.api is ApiKey.LIST_GROUPS or getattr(asked.message, "topics", ()) is None


def rest_of(text: str) -> str:
    """The address from which a page gets what it lacks."""
    found = re.search(r'data-later="([^"]+)"', text)
    assert found, "the page has what it shows"
    return found.group(1).replace("&amp;", "&")


def test_a_page_is_shown_without_the_lists_and_gets_them_later(
    opened: Opened, many: tuple[EmbeddedBroker, int]
) -> None:
    broker, count = many
    broker.faults.delay(seconds=3600, client_id="barnabas-console", where=asks_for_lists)
    browser = opened(broker.bootstrap_servers)
    firsts = [browser.get(path, params={"q": "0"}) for path in PAGES]
    for first in firsts:
        assert first.status_code == 200, first.text
        assert len(first.content) < LIGHT
        assert 'aria-busy="true"' in first.text
        # Without scripts, the browser loads the whole page.
        rest = rest_of(first.text).replace("&", "&amp;")
        assert f'<noscript><meta http-equiv="refresh" content="0; url={rest}">' in first.text
    broker.faults.stop()
    wholes = [browser.get(rest_of(first.text)) for first in firsts]
    for whole in wholes:
        assert "data-later" not in whole.text
        assert len(whole.content) < LIGHT
    overview, topics, groups = (whole.text.replace("\u2009", "") for whole in wholes)
    assert f"<dd>{count}</dd>" in overview
    assert topics.count(ROW) == 50
    assert f"of {count}" in topics
    assert 'value="0"' in topics
    assert groups.count(ROW) == 0  # The name of no group has a 0.
    assert "readers" in browser.get("/groups", params={"whole": "1"}).text


def test_a_list_asks_only_for_what_it_shows(
    opened: Opened, many: tuple[EmbeddedBroker, int]
) -> None:
    broker, _ = many
    browser = opened(broker.bootstrap_servers)
    browser.get("/topics", params={"whole": "1"})
    before = len(broker.requests)
    page = browser.get("/topics", params={"whole": "1", "page": "2"})
    assert "topic-00050" in page.text
    asked = list(broker.requests)[before:]
    # The list itself may be old by now, and is then asked for once.
    assert sum(one.api == "Metadata" for one in asked) <= 1
    apis = sorted(one.api for one in asked if one.api != "Metadata")
    assert apis == ["DescribeLogDirs", "ListOffsets", "ListOffsets"]
    for one in asked:
        if one.api != "Metadata":
            assert len(one.topics) == 50
            assert one.size < 2500


def test_brokers_are_shown_without_their_directories(
    opened: Opened, many: tuple[EmbeddedBroker, int]
) -> None:
    broker, count = many
    browser = opened(broker.bootstrap_servers)

    def is_for_all(asked: SeenRequest) -> bool:
        return (
            asked.api is ApiKey.DESCRIBE_LOG_DIRS and getattr(asked.message, "topics", ()) is None
        )

    broker.faults.delay(seconds=3600, client_id="barnabas-console", where=is_for_all)
    firsts = [browser.get(path).text for path in ("/brokers", "/brokers/1")]
    for first in firsts:
        assert f":{broker.port}" in first
        assert 'aria-busy="true"' in first
    broker.faults.stop()
    for first in firsts:
        text = browser.get(rest_of(first)).text.replace("\u2009", "")
        # Those of __consumer_offsets are there, too.
        assert f'</code></td><td class="n">{count + 50}' in text.replace("</th><td", "</td><td")


def test_a_topic_does_not_wait_for_all(opened: Opened, many: tuple[EmbeddedBroker, int]) -> None:
    broker, _ = many
    broker.faults.delay(seconds=3600, client_id="barnabas-console", where=asks_for_lists)
    browser = opened(broker.bootstrap_servers)
    try:
        assert "No record is here." in browser.get("/topics/topic-00007/records").text
        assert browser.get("/topics/topic-00007").status_code == 200
        assert "there is no topic topic-x" in browser.get("/topics/topic-x").text
        assert browser.get("/topics/%3Cb%3E").status_code == 404
    finally:
        broker.faults.stop()


def test_before_a_silent_broker_the_overview_is_shown(
    opened: Opened,
) -> None:
    with EmbeddedBroker() as broker:
        broker.faults.delay(seconds=3600)
        browser = opened(broker.bootstrap_servers)
        first = browser.get("/")
        assert first.status_code == 200
        assert 'aria-busy="true"' in first.text
