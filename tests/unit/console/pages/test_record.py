"""One record, whole."""

import pytest
from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.testing import EmbeddedBroker


@pytest.fixture
def path(console_broker: EmbeddedBroker, producer: Producer, request: pytest.FixtureRequest) -> str:
    name = f"whole-{request.node.name[:30].strip('[]')}".replace("[", "-")
    console_broker.create_topic(name)
    producer.send(name, '{"dog":{"name":"rex"}}', key="k", headers=[("h", b"v")]).result()
    producer.send(name, b"\x00\x01\xff", key=None).result()
    return f"/topics/{name}/records/0"


def test_json_has_a_line_for_each_part(browser: TestClient, path: str) -> None:
    text = browser.get(f"{path}/0").text
    assert "&#34;dog&#34;: {\n    &#34;name&#34;: &#34;rex&#34;\n  }" in text
    assert "<code>h</code>" in text


def test_bytes_are_hexadecimal(browser: TestClient, path: str) -> None:
    text = browser.get(f"{path}/1").text
    assert "00000000  00 01 ff" in text
    assert "<em>null</em>" in text
    assert "without a schema registry" in browser.get(f"{path}/1?as=schema").text


def test_a_download_is_never_shown_by_a_browser(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}/1/bytes")
    assert answer.content == b"\x00\x01\xff"
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert browser.get(f"{path}/1/bytes?part=key").status_code == 404


def test_an_offset_that_is_not_there(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}/2")
    assert answer.status_code == 404
    assert "has offsets from 0 up to 2, not 2" in answer.text
    assert browser.get(f"{path.removesuffix('/0')}/9/0").status_code == 404
