"""A topic from a form: checked by the cluster, then confirmed."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin
from barnabas.client.core.admin.descriptions import ConfigSource, Resource
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm, filled_fields, hidden_fields


def token(browser: TestClient) -> str:
    return hidden_fields(browser.get("/create-topic").text)["token"]


def test_it_is_created_after_it_was_confirmed(browser: TestClient, admin: Admin) -> None:
    fields = {
        "token": token(browser), "name": "formed", "partitions": "3",
        "configs": "retention.ms=60000\n\ncleanup.policy=compact,delete",
    }  # fmt: skip
    preview = browser.post("/create-topic", data=fields)
    assert preview.status_code == 200
    assert "The cluster would accept this" in preview.text
    assert "formed" not in admin.list_topics()
    answer = confirm(browser, "/create-topic", preview.text)
    assert answer.status_code == 303
    assert len(admin.describe_topics(["formed"])["formed"].partitions) == 3
    assert admin.describe_configs(Resource.TOPIC, "formed")["retention.ms"].value == "60000"
    assert "The topic was created." in browser.get(answer.headers["Location"]).text


def test_a_topic_is_created_like_another(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin
) -> None:
    own = {"retention.ms": "60000", "cleanup.policy": "compact,delete"}
    console_broker.create_topic("model", 3, own)
    assert 'href="/create-topic?like=model"' in browser.get("/topics/model").text
    form = filled_fields(browser.get("/create-topic?like=model").text)
    preview = browser.post("/create-topic", data=form | {"name": "alike"}).text
    assert confirm(browser, "/create-topic", preview).status_code == 303
    assert len(admin.describe_topics(["alike"])["alike"].partitions) == 3
    entries = admin.describe_configs(Resource.TOPIC, "alike").values()
    assert {one.name: one.value for one in entries if one.source is ConfigSource.TOPIC} == own
    assert browser.get("/create-topic?like=nothing-here").status_code == 404


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "a topic needs a name"),
        ({"name": "a b"}, "INVALID_TOPIC"),
        ({"name": "x", "partitions": "0"}, "partitions must be between 1"),
        ({"name": "x", "replicas": "3"}, "INVALID_REPLICATION_FACTOR"),
        ({"name": "x", "configs": "retention.ms"}, "properties, line 1 must be NAME=VALUE"),
        ({"name": "x", "configs": "retention.ms=soon"}, "retention.ms"),
        ({"name": "x", "configs": "no.such=1"}, "no.such"),
    ],
)
def test_what_is_wrong_is_named(
    browser: TestClient, admin: Admin, fields: dict[str, str], sentence: str
) -> None:
    answer = browser.post("/create-topic", data=fields | {"token": token(browser)})
    assert answer.status_code == 400
    assert sentence in answer.text
    again = filled_fields(answer.text)
    assert {name: again[name] for name in fields} == fields
    assert "x" not in admin.list_topics()


def test_a_read_only_console_creates_nothing(
    opened: Callable[..., TestClient], admin: Admin
) -> None:
    only = opened(read_only=True)
    assert "Create a topic" not in only.get("/topics").text
    assert only.get("/create-topic").status_code == 403
    fields = {"name": "unmade", "confirmed": "yes", "token": "x"}
    assert only.post("/create-topic", data=fields).status_code == 403
    assert "unmade" not in admin.list_topics()
