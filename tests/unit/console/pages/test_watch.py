"""Connections that are watched, and their frames."""

import asyncio
import json
from struct import pack
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from barnabas.console.pages.watch import watch_events
from barnabas.console.pages.wire import EXAMPLE
from barnabas.lens.watching.exchanges import WatchedConnection, WatchedExchange
from barnabas.lens.watching.frame_watch import Selection

REX = WatchedConnection(3, "127.0.0.1:5000", "kafka", "barking-<b>dogs", "dog 1.0", 18, 0)
ASKED = bytes.fromhex(EXAMPLE)
GIVEN = pack(">iihihhh", 16, 1, 0, 1, 18, 0, 4)
VERSIONS = WatchedExchange(
    1, REX, 1, 1_357_020_000_000_000_000, ASKED, len(ASKED), 1_500_000, GIVEN, 20
)


class Frames:
    """Has what a test gives it."""

    place = ""

    def __init__(self, *exchanges: WatchedExchange) -> None:
        self.exchanges = list(exchanges)
        self.is_gone = False

    def connections(self) -> list[WatchedConnection]:
        if self.is_gone:
            raise OSError("gone")
        return [each.connection for each in self.exchanges]

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        if self.is_gone:
            raise OSError("gone")
        return [
            each
            for each in self.exchanges
            if each.number > after and selection.has(each.connection)
        ]

    def exchange(self, number: int) -> WatchedExchange | None:
        return next((each for each in self.exchanges if each.number == number), None)


def seeing(browser: TestClient, *exchanges: WatchedExchange) -> Frames:
    frames = browser.app.state.frames = Frames(*exchanges)  # type: ignore[attr-defined]
    return frames


def test_the_list_of_connections(browser: TestClient) -> None:
    frames = seeing(browser, VERSIONS)
    page = browser.get("/wire/watch").text
    assert "These are the connections of the broker." in page
    assert 'href="/wire/watch?connection=3"' in page
    assert "barking-&lt;b&gt;dogs" in page
    assert "ApiVersions, version 0" in page
    frames.place = "127.0.0.1:9192"
    assert "Point a client at <code>127.0.0.1:9192</code>" in browser.get("/wire/watch").text
    assert "No client is connected" not in page
    frames.exchanges.clear()
    assert "No client is connected" in browser.get("/wire/watch").text


@pytest.mark.parametrize("query", [{"connection": "3"}, {"client": "barking-<b>dogs"}])
def test_frames_of_a_connection(browser: TestClient, query: dict[str, str]) -> None:
    waiting = VERSIONS._replace(number=2, took_ns=None, response=b"", response_size=0)
    seeing(browser, VERSIONS, waiting)
    page = browser.get("/wire/watch", params=query).text
    rows = page[page.index("<tbody") :].split("</tr>")
    assert "/wire/watch/2" in rows[0]
    assert rows[0].endswith('<td class="n">\u2013</td><td class="n">\u2013</td>')
    assert rows[1].endswith('<td class="n">20</td><td class="n">1.50</td>')
    assert "after=2" in page
    other = browser.get("/wire/watch?connection=4").text
    assert "/wire/watch/1" not in other


def test_each_field_of_both_frames(browser: TestClient) -> None:
    seeing(browser, VERSIONS)
    page = browser.get("/wire/watch/1").text
    assert "ApiVersions request, version 0" in page
    assert "ApiVersions response, version 0" in page
    assert "answered after 1.50 ms" in page
    assert "api_keys[0].max_version" in page
    assert "Mistake at" not in page
    assert "was cut" not in page


def test_a_frame_that_was_cut(browser: TestClient) -> None:
    seeing(browser, VERSIONS._replace(response=GIVEN[:-3], response_size=20))
    page = browser.get("/wire/watch/1").text
    assert "The response was cut: 20 bytes, of which the first 17 were kept." in page
    assert "Mistake at" not in page


@pytest.mark.parametrize(
    ("key", "frame"),
    [
        (-1, b"\0rex\0secret"),
        (-1, b"no token: secret"),
        (36, pack(">hhih", 36, 0, 1, -1) + pack(">i", 11) + b"\0rex\0secret"),
        (36, pack(">hhih", 36, 0, 1, -1) + pack(">i", 99) + b"\0rex\0secret"),
    ],
)
def test_no_password_is_shown(browser: TestClient, key: int, frame: bytes) -> None:
    connection = REX._replace(api_key=key, api_version=0)
    sized = pack(">i", len(frame)) + frame
    size = len(sized)
    seeing(browser, VERSIONS._replace(connection=connection, request=sized, request_size=size))
    page = browser.get("/wire/watch/1").text
    assert "***" in page
    assert "secret" not in page.replace("it may be a secret", "").replace("may be a secret", "")
    assert b"secret".hex(" ") not in page


def test_a_request_of_kafka_07(browser: TestClient) -> None:
    frame = bytes.fromhex("00000018 0004 0004 646f6773 00000000 ffffffffffffffff 00000001")
    old = REX._replace(dialect="kafka-0.7", api_key=-1, api_version=-1)
    seeing(browser, VERSIONS._replace(connection=old, request=frame, request_size=28, response=b""))
    assert ">OFFSETS</a>" in browser.get("/wire/watch?connection=3").text.replace(
        "Offsets", "OFFSETS"
    )
    assert "dogs" in browser.get("/wire/watch/1").text


def test_rows_as_they_come(browser: TestClient) -> None:
    frames = seeing(browser, VERSIONS)

    async def receive() -> Any:
        await asyncio.Event().wait()

    query = b"connection=3&after=1"
    scope = {
        "type": "http", "app": browser.app, "method": "GET", "headers": [],
        "path_params": {}, "query_string": query,
    }  # fmt: skip

    async def watch() -> list[dict[str, Any]]:
        response: Any = await watch_events(Request(scope, receive))
        found = []
        async for event in response.body_iterator:
            found.append(json.loads(event.removeprefix("data: ")))
            if len(found) == 1:
                more = range(2, 62)
                frames.exchanges += [VERSIONS._replace(number=number) for number in more]
            else:
                frames.is_gone = True
        return found

    assert browser.portal is not None
    begun, news, ended = browser.portal.call(watch)
    assert begun == {"rows": [], "more": 0}
    assert (len(news["rows"]), news["more"]) == (50, 10)
    assert "/wire/watch/61" in news["rows"][-1]
    assert "has ended" in ended["problem"]


def test_where_nothing_can_be_watched(browser: TestClient) -> None:
    assert "/wire/watch" not in browser.get("/wire").text
    answer = browser.get("/wire/watch")
    assert answer.status_code == 404
    assert "this console sees no connections" in answer.text
    frames = seeing(browser)
    assert "/wire/watch" in browser.get("/wire").text
    assert browser.get("/wire/watch/7").status_code == 404
    assert browser.get("/wire/watch/x").status_code == 400
    assert browser.get("/wire/watch/events").status_code == 400
    frames.is_gone = True
    assert browser.get("/wire/watch").status_code == 503
