"""Deleting a group takes its name, typed; one with members stays."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Consumer
from barnabas.console.rendering import link
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm


@pytest.fixture(autouse=True)
def topic(console_broker: EmbeddedBroker, admin: Admin) -> None:
    if "left" not in admin.list_topics():
        console_broker.create_topic("left")


def names(admin: Admin) -> set[str]:
    return {one.group_id for one in admin.list_groups()}


@pytest.mark.parametrize("name", ["leaving", "a/b", "ä b?&=#%", "<i>x</i>"])
def test_it_is_deleted_by_its_name(browser: TestClient, admin: Admin, name: str) -> None:
    admin.alter_group_offsets(name, {("left", 0): 4})
    path = link("/groups/one/delete", name=name)
    text = browser.get(path).text
    assert "its positions in 1 partition of left" in text
    refused = confirm(browser, path, text, typed="other")
    assert refused.status_code == 400
    assert "type its name" in refused.text
    assert 'name="typed" autocomplete="off" value="other"' in refused.text
    assert name in names(admin)
    answer = confirm(browser, path, text, typed=name)
    assert answer.status_code == 303
    assert name not in names(admin)
    assert "The group was deleted." in browser.get(answer.headers["Location"]).text


def test_a_group_with_members_stays(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin
) -> None:
    admin.alter_group_offsets("staying", {("left", 0): 0})
    path = "/groups/one/delete?name=staying"
    text = browser.get(path).text
    with Consumer(bootstrap_servers=console_broker.bootstrap_servers, group_id="staying") as reader:
        reader.subscribe(["left"])
        while not reader.assignment():
            reader.poll(0.1)
        assert "end them" in browser.get(path).text
        refused = confirm(browser, path, text, typed="staying")
        assert refused.status_code == 400
        assert "end them" in refused.text
    assert "staying" in names(admin)


def test_neither_a_foreign_form_nor_a_read_only_console_deletes(
    browser: TestClient, opened: Callable[..., TestClient], admin: Admin
) -> None:
    admin.alter_group_offsets("kept-group", {("left", 0): 0})
    path, fields = "/groups/one/delete?name=kept-group", {"typed": "kept-group", "token": "x"}
    assert browser.post(path, data=fields).status_code == 403
    assert opened(read_only=True).post(path, data=fields).status_code == 403
    assert "kept-group" in names(admin)
    assert browser.get("/groups/one/delete?name=nothing-at-all").status_code == 404
