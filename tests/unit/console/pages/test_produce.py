"""A record from a form: shown first, stored after a confirmation, exactly as typed."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Consumer, Producer
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import confirm, filled_fields, hidden_fields


def token(browser: TestClient, topic: str) -> str:
    return hidden_fields(browser.get(f"/topics/{topic}/produce").text)["token"]


def stored(broker: EmbeddedBroker, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek_to_beginning()
        return [(one.key, one.value) for one in consumer.poll(timeout_s=0.5)]


@pytest.mark.parametrize(
    ("spelling", "text", "value"),
    [
        ("text", "<b>&amp;</b> \"\u202e' ä\n\n x", "<b>&amp;</b> \"\u202e' ä\n\n x".encode()),
        ("text", "\nfirst line is empty", b"\nfirst line is empty"),
        ("JSON", '{"a": 1}', b'{"a": 1}'),
        ("hex", "00 ff", b"\x00\xff"),
        ("base64", "AP8=", b"\x00\xff"),
        ("null", "", None),
        ("text", "", b""),
    ],
)
def test_what_is_typed_is_stored_after_it_was_confirmed(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin,
    spelling: str, text: str, value: bytes | None,
) -> None:  # fmt: skip
    console_broker.create_topic("typed")
    try:
        fields = {"token": token(browser, "typed"), "key": "k", "value_is": spelling, "value": text}
        preview = browser.post("/topics/typed/produce", data=fields)
        assert preview.status_code == 200
        assert "This will be stored" in preview.text
        assert stored(console_broker, "typed") == []
        answer = confirm(browser, "/topics/typed/produce", preview.text)
        assert answer.status_code == 303, answer.text
        assert stored(console_broker, "typed") == [(b"k", value)]
        page = browser.get(answer.headers["Location"])
        assert "The record was stored." in page.text
    finally:
        admin.delete_topics(["typed"])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"value_is": "JSON", "value": "{"}, "the value is no JSON"),
        ({"value_is": "hex", "value": "0"}, "the value is no hex"),
        ({"key_is": "base64", "key": "?"}, "the key is no base64"),
        ({"value_is": "xml"}, "value_is must be one of"),
        ({"headers": "no colon"}, "headers, line 1 must be NAME: VALUE"),
        ({"partition": "first"}, "partition must be a whole number"),
        ({"partition": "9"}, "refused-records has no partition 9"),
    ],
)
def test_what_is_wrong_is_named(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin,
    fields: dict[str, str], sentence: str,
) -> None:  # fmt: skip
    if "refused-records" not in admin.list_topics():
        console_broker.create_topic("refused-records")
    typed = {"key_is": "text", "value_is": "text", "key": "k", "value": "v"} | fields
    fields = typed | {"token": token(browser, "refused-records")}
    answer = browser.post("/topics/refused-records/produce", data=fields)
    assert answer.status_code in (400, 404)
    assert sentence in answer.text
    again = filled_fields(answer.text)
    typed |= {"value_is": "text"} if typed["value_is"] == "xml" else {}
    assert {name: again[name] for name in typed} == typed, "what was typed is there again"
    assert again["token"] == fields["token"]


def test_a_form_of_somebody_else_stores_nothing(
    browser: TestClient, opened: Callable[..., TestClient], console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("guarded-records")
    path = "/topics/guarded-records/produce"
    for given in ("", "0" * 64, token(opened(), "guarded-records")):
        fields = {"token": given, "value": "x", "confirmed": "yes"}
        assert browser.post(path, data=fields).status_code == 403
    fields = {"token": token(browser, "guarded-records"), "value": "x", "confirmed": "yes"}
    evil = {"Origin": "http://evil.example"}
    assert browser.post(path, data=fields, headers=evil).status_code == 403
    assert opened(read_only=True).post(path, data=fields).status_code == 403
    assert opened(read_only=True).get(path).status_code == 403
    assert stored(console_broker, "guarded-records") == []


def test_a_body_that_is_no_form(browser: TestClient, console_broker: EmbeddedBroker) -> None:
    console_broker.create_topic("formless")
    path = "/topics/formless/produce"
    assert browser.post(path, content=b"\xff\xfe").status_code == 400
    assert browser.post(path, content=b"&".join([b"a=b"] * 1000)).status_code == 400
    assert browser.post(path, content=b"a=" + b"b" * (5 << 20)).status_code == 413


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"k", b'{"a": "\xc3\xa4"}'),
        (None, b"<script>alert(1)</script>"),
        (b"\xff\x00", b"\x00\x01\xfe"),
        (b"k", None),
        (b"k", b""),
        (b"k", b"\n\nleading and trailing lines\n\n"),
        (b"k", b"two\r\nends of lines\x1b[31m"),
        (b"k", "a\u202eb\u2028c\x85d".encode()),
    ],
)
def test_a_record_is_produced_again_byte_for_byte(
    browser: TestClient, console_broker: EmbeddedBroker, admin: Admin, producer: Producer,
    key: bytes | None, value: bytes | None,
) -> None:  # fmt: skip
    console_broker.create_topic("repeated")
    try:
        headers = [("trace", b"one: two"), ("empty", b"")]
        producer.send("repeated", value, key, headers=headers).result()
        assert (
            "produce?partition=0&amp;offset=0" in browser.get("/topics/repeated/records/0/0").text
        )
        path = "/topics/repeated/produce"
        form = filled_fields(browser.get(f"{path}?partition=0&offset=0").text)
        preview = browser.post(path, data=form).text
        assert confirm(browser, path, preview).status_code == 303
        with Consumer(bootstrap_servers=console_broker.bootstrap_servers) as consumer:
            consumer.assign([("repeated", 0)])
            consumer.seek_to_beginning()
            first, second = consumer.poll(timeout_s=5)
        assert (second.key, second.value, second.headers) == (key, value, first.headers)
    finally:
        admin.delete_topics(["repeated"])


@pytest.mark.parametrize(
    ("key", "value", "headers", "sentence"),
    [
        (b"", b"x", [], "an empty key"),
        (None, bytes(1_000_001), [], "a form holds a record of up to"),
        (None, b"x", [("h", b"\xff")], "the header &#39;h&#39; is no line of text"),
        (None, b"x", [("a:b", b"x")], "the header &#39;a:b&#39; is no line of text"),
        (None, b"x", [("h", b"a\xe2\x80\xa8b")], "the header &#39;h&#39; is no line of text"),
        (None, b"x", [("h", None)], "the header &#39;h&#39; is no line of text"),
    ],
)
def test_a_record_that_no_form_holds_is_not_copied_in_part(
    browser: TestClient, console_broker: EmbeddedBroker,
    key: bytes | None, value: bytes, headers: list[tuple[str, bytes | None]], sentence: str,
) -> None:  # fmt: skip
    console_broker.create_topic("unrepeatable", 1, {"max.message.bytes": "4000000"})
    try:
        large = {"max_request_size": 4_000_000}
        with Producer(bootstrap_servers=console_broker.bootstrap_servers, **large) as sender:
            sender.send("unrepeatable", value, key, headers=headers).result()
        answer = browser.get("/topics/unrepeatable/produce?partition=0&offset=0")
        assert answer.status_code == 400
        assert sentence in answer.text
    finally:
        with Admin(bootstrap_servers=console_broker.bootstrap_servers) as admin:
            admin.delete_topics(["unrepeatable"])


def test_a_record_that_is_not_there_is_not_copied(
    browser: TestClient, console_broker: EmbeddedBroker
) -> None:
    console_broker.create_topic("unrepeated")
    path = "/topics/unrepeated/produce"
    assert browser.get(f"{path}?partition=0&offset=7").status_code == 404
    assert browser.get(f"{path}?partition=9&offset=0").status_code == 404
    assert browser.get(f"{path}?partition=x&offset=0").status_code == 400
