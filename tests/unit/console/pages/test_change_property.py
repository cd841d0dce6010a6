"""A property is checked by the cluster, then changed after a confirmation."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin
from barnabas.client.core.admin.descriptions import ConfigSource, Resource
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm, filled_fields, hidden_fields


@pytest.fixture(scope="module", autouse=True)
def tuned(console_broker: EmbeddedBroker) -> None:
    console_broker.create_topic("tuned")


def asked(browser: TestClient, path: str, **fields: str) -> str:
    own = hidden_fields(browser.get(path, params={"name": fields["name"]}).text)
    answer = browser.post(path, data=own | fields)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_property_of_a_topic_is_set_and_reset(browser: TestClient, admin: Admin) -> None:
    path = "/topics/tuned/property"
    text = asked(browser, path, name="retention.ms", action="set", value="60000")
    assert '<code class="long">60000</code>, at once' in text
    assert admin.describe_configs(Resource.TOPIC, "tuned")["retention.ms"].value != "60000"
    assert confirm(browser, path, text).status_code == 303
    assert admin.describe_configs(Resource.TOPIC, "tuned")["retention.ms"].value == "60000"
    text = asked(browser, path, name="retention.ms", action="reset")
    assert confirm(browser, path, text).status_code == 303
    entry = admin.describe_configs(Resource.TOPIC, "tuned")["retention.ms"]
    assert entry.source is not ConfigSource.TOPIC


def test_a_property_of_a_broker(browser: TestClient, admin: Admin) -> None:
    path = "/brokers/1/property"
    text = asked(browser, path, name="log.retention.ms", action="set", value="604800001")
    assert confirm(browser, path, text).status_code == 303
    entry = admin.describe_configs(Resource.BROKER, "1")["log.retention.ms"]
    assert (entry.value, entry.source) == ("604800001", ConfigSource.BROKER_DYNAMIC)
    admin.alter_configs(Resource.BROKER, "1", {"log.retention.ms": None})


@pytest.mark.parametrize(
    ("path", "fields", "status", "sentence"),
    [
        ("/topics/tuned", {"name": "retention.ms", "value": "soon"}, 400, "retention.ms"),
        ("/topics/tuned", {"name": "retention"}, 404, "topic tuned has no property retention"),
        ("/brokers/9", {"name": "log.retention.ms"}, 404, "there is no broker 9"),
        ("/brokers/1", {"name": "broker.id", "value": "2"}, 400, "cannot be changed"),
    ],
)
def test_what_is_wrong_is_named(
    browser: TestClient, path: str, fields: dict[str, str], status: int, sentence: str
) -> None:
    own = hidden_fields(browser.get("/topics/tuned/property?name=retention.ms").text)
    answer = browser.post(f"{path}/property", data=own | fields)
    assert answer.status_code == status
    assert sentence in answer.text
    if fields.get("value") == "soon":
        assert filled_fields(answer.text)["value"] == "soon"


def test_a_read_only_console_changes_nothing(
    opened: Callable[..., TestClient], admin: Admin
) -> None:
    only = opened(read_only=True)
    assert "Change " not in only.get("/topics/tuned?all=1").text
    assert only.get("/topics/tuned/property?name=retention.ms").status_code == 403
    fields = {"name": "retention.ms", "value": "1", "confirmed": "yes", "token": "x"}
    assert only.post("/topics/tuned/property", data=fields).status_code == 403
