"""What may not reach a page, and what leaves with every response."""

import base64
import hashlib
import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas.console.security import host_name
from tests.unit.console.forms import hidden_fields

Opened = Callable[..., TestClient]


def basic(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"me:{password}".encode()).decode()}


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST"])
def test_a_browser_on_this_machine_may_ask(browser: TestClient, host: str) -> None:
    assert browser.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "10.0.0.1", "localhost.evil"]
)
def test_a_name_that_somebody_points_here_is_refused(browser: TestClient, host: str) -> None:
    answer = browser.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "--allow-host" in answer.text


def test_beyond_this_machine_addresses_and_known_names_are_right(opened: Opened) -> None:
    browser = opened(hosts=frozenset({"console.example"}), any_address=True)
    for host, status in [("10.0.0.1:8080", 200), ("console.example", 200), ("evil.example", 421)]:
        assert browser.get("/topics", headers={"Host": host}).status_code == status


def test_a_password_is_asked_for(opened: Opened) -> None:
    browser = opened(password="woof")
    refused = browser.get("/topics")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Basic")
    assert browser.get("/static/console.js").status_code == 401
    assert browser.get("/topics", headers=basic("meow")).status_code == 401
    assert browser.get("/topics", headers={"Authorization": "Basic ?"}).status_code == 401
    assert browser.get("/topics", headers=basic("woof")).status_code == 200


@pytest.mark.parametrize("path", ["/", "/topics/nope", "/static/console.js"])
def test_every_response_forbids_what_is_not_ours(browser: TestClient, path: str) -> None:
    headers = browser.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_style_of_a_page_is_the_one_that_its_policy_allows(browser: TestClient) -> None:
    page = browser.get("/topics")
    (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in page.headers["Content-Security-Policy"]
    assert "--paper" in style


def test_the_session_cannot_be_read_by_scripts_or_sent_by_other_sites(browser: TestClient) -> None:
    cookie = browser.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_browsers_keep_files_and_no_page(browser: TestClient) -> None:
    page, file = browser.get("/"), browser.get("/static/console.js")
    assert page.headers["Cache-Control"] == "no-store"
    assert file.headers["Cache-Control"] == "no-cache"
    again = browser.get("/static/console.js", headers={"If-None-Match": file.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Origin", "http://evil.example"),
        ("Origin", "http://localhost:9999"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ],
)
def test_a_form_of_another_site_is_refused(browser: TestClient, header: str, value: str) -> None:
    answer = browser.post("/topics", headers={header: value})
    assert answer.status_code == 403
    assert "another site" in answer.text


def test_nothing_but_get_and_post_is_served(browser: TestClient) -> None:
    assert browser.request("DELETE", "/topics").status_code == 405


@pytest.mark.parametrize(
    ("header", "name"),
    [("Localhost:80", "localhost"), ("[::1]:80", "[::1]"), ("a", "a"), ("", ""), ("[::1", "[::1]")],
)
def test_the_port_is_no_part_of_a_name(header: str, name: str) -> None:
    assert host_name(header) == name


def test_the_first_form_of_a_browser_whose_cookie_is_too_short_is_taken(
    browser: TestClient,
) -> None:
    first = browser.get("/create-topic", headers={"Cookie": "barnabas_console=short"})
    (cookie,) = first.headers.get_list("set-cookie")
    fields = hidden_fields(first.text)
    sent = {"Cookie": cookie.partition(";")[0]}
    assert browser.post("/create-topic", data=fields, headers=sent).status_code == 400
