"""More partitions: checked by the cluster, then confirmed."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm, filled_fields, hidden_fields


def count(admin: Admin, topic: str) -> int:
    return len(admin.describe_topics()[topic].partitions)


def test_partitions_are_added_after_they_were_confirmed(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin
) -> None:
    console_broker.create_topic("growing", 2)
    path = "/topics/growing/add-partitions"
    own = hidden_fields(browser.get(path).text)
    checked = browser.post(path, data=own | {"total": "5"}).text
    assert "5 partitions, 3 more than now" in checked
    assert count(admin, "growing") == 2
    answer = confirm(browser, path, checked)
    assert answer.status_code == 303
    assert count(admin, "growing") == 5
    assert "The partitions were added." in browser.get(answer.headers["Location"]).text


@pytest.mark.parametrize("total", ["2", "1", "-1", "many", "9" * 30, str(1 << 31)])
def test_a_number_that_is_none_or_too_small(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, total: str
) -> None:
    if "not-growing" not in admin.list_topics():
        console_broker.create_topic("not-growing", 2)
    path = "/topics/not-growing/add-partitions"
    own = hidden_fields(browser.get(path).text)
    answer = browser.post(path, data=own | {"total": total})
    assert answer.status_code == 400
    assert "total must be" in answer.text
    assert filled_fields(answer.text)["total"] == total
    assert count(admin, "not-growing") == 2


def test_neither_a_foreign_form_nor_a_read_only_console_adds(
    browser: TestClient, opened: Callable[..., TestClient], console_broker: EmbeddedBroker,
    admin: Admin,
) -> None:  # fmt: skip
    console_broker.create_topic("grown-up")
    path = "/topics/grown-up/add-partitions"
    fields = {"total": "3", "confirmed": "yes", "token": "x"}
    assert browser.post(path, data=fields).status_code == 403
    assert opened(read_only=True).post(path, data=fields).status_code == 403
    assert count(admin, "grown-up") == 1
