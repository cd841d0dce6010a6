"""Every page of the console with every wrong value in its path and query: a page that says so, at once."""

import re
from collections.abc import Iterator

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from barnabas import Admin, Producer
from barnabas.console.application import ROUTES, create_application
from barnabas.console.settings import ConsoleSettings
from barnabas.testing import EmbeddedBroker

SCRIPT = "<script>alert(1)</script>"
VALUES = (
    "", " ", "-1", "0", "1e3", "٣", "9" * 18, str(1 << 63), str(-(1 << 63)), SCRIPT,
    '"><img src=x onerror=alert(1)>', "\u202e\u2066gnp.exe", "a\x00b", "\ud7ff\U0010ffff", "%ff%00",
    "../../etc/passwd", "{{7*7}}", "a=b=c", "$..[", "null", "nan", "2013-13-45",
)  # fmt: skip
"""Strings that are no numbers, no times, no names, no paths, or that look like code."""
LONG = ("9" * 5000, "a." * 2000, "x" * 20_000)
FIELDS = (
    "after", "all", "as", "by", "client", "connection", "count", "done", "from", "header", "id",
    "json", "key", "kind", "like", "live", "name", "offset", "page", "part", "partition",
    "partitions", "q", "state", "time", "to", "topic", "value", "whole",
)  # fmt: skip
ENDLESS = ("/events", "/topics/{topic}/records/live", "/wire/watch/events")
PAGES = sorted(
    one.path for one in ROUTES if "GET" in (one.methods or ()) and one.path not in ENDLESS
)
REFUSED = {400, 404, 414, 431, 501}


@pytest.fixture(scope="module")
def browser() -> Iterator[TestClient]:
    """A console whose broker has a topic with a record and a group, both with names of the paths below."""
    with EmbeddedBroker() as broker:
        broker.create_topic("known")
        servers = broker.bootstrap_servers
        with Producer(bootstrap_servers=servers) as producer:
            producer.send("known", '{"n": 1}', "key").result()
        with Admin(bootstrap_servers=servers) as admin:
            admin.alter_group_offsets("known", {("known", 0): 0})
        application = create_application(ConsoleSettings({"bootstrap.servers": servers}))
        with TestClient(application, base_url="http://localhost:8080") as client:
            yield client


def check(browser: TestClient, path: str, query: dict[str, str]) -> int:
    """Get a page; an exception of the application would be raised here."""
    answer = browser.get(path, params=query, follow_redirects=False)
    assert answer.status_code in {200, 303, 307, *REFUSED}, (path, query, answer.status_code)
    if answer.headers["Content-Type"].startswith("text/html"):
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
        # Only a field of a form has them as they are: the browser sends them back.
        fields = re.sub(r"<input [^>]*>|<textarea.*?</textarea>", "", answer.text, flags=re.DOTALL)
        assert "\u202e" not in fields
        assert len(answer.content) < 400_000
    return answer.status_code


def filled(path: str, **given: str) -> str:
    known = {
        "topic": "known",
        "partition": "0",
        "offset": "0",
        "broker": "1",
        "number": "1",
    } | given
    return re.sub(r"\{(\w+)\}", lambda found: known[found.group(1)], path)


@pytest.mark.parametrize("path", PAGES)
def test_wrong_values_in_a_query(browser: TestClient, path: str) -> None:
    right = filled(path)
    assert check(browser, right, {"name": "known", "topic": "known"}) in {200, 400, 404}
    for value in VALUES:
        check(browser, right, dict.fromkeys(FIELDS, value))


@pytest.mark.parametrize(
    "path",
    [
        "/topics", "/topics/{topic}/records", "/topics/{topic}/records/{partition}/{offset}",
        "/topics/{topic}/records/download", "/topics/{topic}/delete-records",
        "/topics/{topic}/produce", "/groups", "/groups/one/reset", "/create-topic",
    ],
)  # fmt: skip
def test_one_wrong_value_among_right_ones(browser: TestClient, path: str) -> None:
    right = {"name": "known", "topic": "known", "from": "beginning", "to": "latest"}
    for field in FIELDS:
        for value in (*VALUES[::3], *LONG):
            check(browser, filled(path), right | {field: value})


@pytest.mark.parametrize("path", [one for one in PAGES if "{" in one])
def test_wrong_values_in_a_path(browser: TestClient, path: str) -> None:
    parts = re.findall(r"\{(\w+)\}", path)
    for part in parts:
        for value in VALUES:
            if value.strip(" .") and "\x00" not in value and "/" not in value:
                asked = filled(path, **{part: "".join(f"%{one:02x}" for one in value.encode())})
                check(browser, asked, {"name": "known"})


def test_all_pages_are_here() -> None:
    assert len(PAGES) > 20
    assert all(isinstance(one, Route) for one in ROUTES)
