"""Deleting a topic takes its name, typed."""

from collections.abc import Callable

from starlette.testclient import TestClient

from barnabas import Admin, Producer
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm


def test_it_is_deleted_by_its_name(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, producer: Producer
) -> None:
    console_broker.create_topic("doomed", 2)
    producer.send("doomed", "last words").result()
    text = browser.get("/topics/doomed/delete").text
    assert "2 partitions with up to 1 record " in text
    refused = confirm(browser, "/topics/doomed/delete", text, name="domed")
    assert refused.status_code == 400
    assert "type its name" in refused.text
    assert 'name="name" required autocomplete="off" value="domed"' in refused.text
    assert "2 partitions with up to 1 record " in refused.text
    assert "doomed" in admin.list_topics()
    answer = confirm(browser, "/topics/doomed/delete", text, name="doomed")
    assert answer.status_code == 303
    assert "doomed" not in admin.list_topics()
    assert browser.get("/topics/doomed").status_code == 404


def test_neither_a_foreign_form_nor_a_read_only_console_deletes(
    browser: TestClient, opened: Callable[..., TestClient], console_broker: EmbeddedBroker,
    admin: Admin,
) -> None:  # fmt: skip
    console_broker.create_topic("kept")
    fields = {"name": "kept", "token": "x"}
    assert browser.post("/topics/kept/delete", data=fields).status_code == 403
    assert opened(read_only=True).post("/topics/kept/delete", data=fields).status_code == 403
    assert "kept" in admin.list_topics()
