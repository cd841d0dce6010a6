"""Moving a group: first shown, then confirmed, and only by our own form."""

from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.console.rendering import link
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm, hidden_fields


@pytest.fixture(scope="module", autouse=True)
def moving(console_broker: EmbeddedBroker) -> None:
    """A topic of 20 records a second apart in two partitions."""
    console_broker.create_topic("moving", 2)
    with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
        for number in range(20):
            producer.send("moving", str(number), partition=number % 2, timestamp_ms=number * 1000)


def positions(admin: Admin, group: str) -> list[int]:
    found = admin.list_group_offsets(group)
    return [found[where].offset for where in sorted(found)]


@pytest.mark.parametrize(
    ("query", "then"),
    [
        ("to=earliest", [0, 0]),
        ("to=latest", [10, 10]),
        ("to=offset&offset=7&topic=moving&partitions=1", [4, 7]),
        ("to=offset&offset=700", [10, 10]),
        ("to=time&time=11000", [6, 5]),
        ("to=by&by=-2", [2, 3]),
    ],
)
def test_a_group_moves_after_a_preview(
    browser: TestClient, admin: Admin, query: str, then: list[int]
) -> None:
    admin.alter_group_offsets("moved", {("moving", 0): 4, ("moving", 1): 5})
    text = browser.get(f"/groups/one/reset?name=moved&{query}").text
    assert "What would change" in text
    if "partitions=1" in query:
        admin.alter_group_offsets("moved", {("moving", 1): 5})
    assert positions(admin, "moved") == [4, 5]
    answer = confirm(browser, "/groups/one/reset?name=moved", text)
    assert answer.status_code == 303
    assert positions(admin, "moved") == then
    assert "The group was moved." in browser.get(answer.headers["Location"]).text


@pytest.mark.parametrize("name", ["a/b", "a/reset", "..", "ä b?&=#%\u202e", "<i>x</i>"])
def test_a_group_may_have_any_name(browser: TestClient, admin: Admin, name: str) -> None:
    admin.alter_group_offsets(name, {("moving", 0): 4})
    assert link("/groups/one", name=name).replace("&", "&amp;") in browser.get("/groups").text
    assert browser.get("/groups/one", params={"name": name}).status_code == 200
    text = browser.get("/groups/one/reset", params={"name": name, "to": "latest"}).text
    assert "<i>" not in text
    answer = confirm(browser, link("/groups/one/reset", name=name), text)
    assert answer.status_code == 303
    assert positions(admin, name) == [10]
    assert browser.get(answer.headers["Location"]).status_code == 200
    admin.delete_groups([name])


def test_a_share_group_moves(browser: TestClient, admin: Admin) -> None:
    admin.alter_share_group_offsets("moved-share", {("moving", 0): 4})
    text = browser.get("/groups/one/reset?name=moved-share&to=latest").text
    assert confirm(browser, "/groups/one/reset?name=moved-share", text).status_code == 303
    groups = [one for one in admin.survey_groups() if one.group_id == "moved-share"]
    shared = admin.survey_share_offsets(groups)["moved-share"]
    assert [one.start for one in shared.values()] == [10]


def test_a_form_of_somebody_else_moves_nothing(
    browser: TestClient, opened: Callable[..., TestClient], admin: Admin
) -> None:
    admin.alter_group_offsets("guarded", {("moving", 0): 4})
    text = browser.get("/groups/one/reset?name=guarded&to=latest").text
    for token in (
        "",
        "0" * 64,
        hidden_fields(opened().get("/groups/one/reset?name=guarded").text).get("token", ""),
    ):
        answer = confirm(browser, "/groups/one/reset?name=guarded", text, token=token)
        assert answer.status_code == 403
        assert "not from a page of this console" in answer.text
    assert positions(admin, "guarded") == [4]


def test_a_read_only_console_moves_nothing(
    browser: TestClient, opened: Callable[..., TestClient], admin: Admin
) -> None:
    admin.alter_group_offsets("shown", {("moving", 0): 4})
    only = opened(read_only=True)
    assert "Move it" not in only.get("/groups/one?name=shown").text
    assert only.get("/groups/one/reset?name=shown").status_code == 403
    answer = confirm(
        only,
        "/groups/one/reset?name=shown",
        browser.get("/groups/one/reset?name=shown&to=latest").text,
    )
    assert answer.status_code == 403
    assert "--allow-changes" in answer.text
    assert positions(admin, "shown") == [4]


def test_a_group_with_members_is_left_alone(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    servers = console_broker.bootstrap_servers
    with Consumer(bootstrap_servers=servers, group_id="busy", client_id="rex") as consumer:
        consumer.subscribe(["moving"])
        while not consumer.assignment():
            consumer.poll(0.1)
        text = browser.get("/groups/one/reset?name=busy&to=earliest&topic=moving").text
        assert "busy is Stable with 1 member: end them first" in text
        answer = confirm(browser, "/groups/one/reset?name=busy", text)
        assert answer.status_code == 400


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("to=elsewhere", 400, "to must be one of earliest"),
        ("to=latest&topic=movign", 404, "there is no topic movign; did you mean moving?"),
        ("to=latest&topic=moving&partitions=7", 404, "moving has no partition 7"),
        ("to=latest&topic=moving&partitions=x", 400, "partitions must be a whole number"),
        ("to=time&time=later", 400, "time must be as"),
        ("to=offset&offset=-1", 400, "offset must be between"),
    ],
)
def test_what_is_wrong_is_named(
    browser: TestClient, admin: Admin, query: str, status: int, sentence: str
) -> None:
    admin.alter_group_offsets("refused", {("moving", 0): 4})
    answer = browser.get(f"/groups/one/reset?name=refused&{query}")
    assert answer.status_code == status
    assert sentence in answer.text
    for name, typed in parse_qsl(query):
        assert name == "to" or f'name="{name}"' in answer.text
        assert name == "to" or f'value="{typed}"' in answer.text


def test_a_plan_that_is_none(browser: TestClient, admin: Admin) -> None:
    admin.alter_group_offsets("planned", {("moving", 0): 4})
    text = browser.get("/groups/one/reset?name=planned&to=latest").text
    for plan in ("", "moving", "moving:0=", "moving:x=1", "=1"):
        assert (
            confirm(browser, "/groups/one/reset?name=planned", text, plan=plan).status_code == 400
        )
    answer = confirm(browser, "/groups/one/reset?name=planned", text, plan="moving:9=1")
    assert answer.status_code == 404
    assert positions(admin, "planned") == [4]
