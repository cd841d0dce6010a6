"""The wire lens."""

import base64

import pytest
from starlette.testclient import TestClient

from barnabas.console.pages.wire import EXAMPLE

REQUEST = bytes.fromhex(EXAMPLE)


def explained(browser: TestClient, text: str, **more: str) -> str:
    answer = browser.post("/wire", data={"bytes": text, **more})
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize(
    "text",
    [EXAMPLE, REQUEST.hex(), base64.b64encode(REQUEST).decode(), REQUEST.hex(",")],
)
def test_a_request_in_any_spelling(browser: TestClient, text: str) -> None:
    found = explained(browser, text)
    assert "ApiVersions request, version 0" in found
    assert "barking-dogs" in found
    assert "Mistake at" not in found


def test_a_mistake_is_named_where_it_is(browser: TestClient) -> None:
    found = explained(browser, REQUEST[:-3].hex())
    assert "Mistake at" in found
    assert 'class="wrong"' in found


def test_a_response_needs_its_request(browser: TestClient) -> None:
    response = bytes.fromhex("0000000a 00000001 0000 00000000")
    found = explained(browser, response.hex(), direction="response", api="ApiVersions", version="0")
    assert "ApiVersions response, version 0" in found
    answer = browser.post("/wire", data={"bytes": EXAMPLE, "direction": "response"})
    assert answer.status_code == 400
    assert "a response does not name its request" in answer.text


def test_a_request_of_kafka_07(browser: TestClient) -> None:
    offsets = bytes.fromhex("00000018 0004 0004 646f6773 00000000 ffffffffffffffff 00000001")
    found = explained(browser, offsets.hex(), dialect="kafka-0.7")
    assert "dogs" in found
    assert "Mistake at" not in found


def test_what_is_shown_is_bounded(browser: TestClient) -> None:
    found = explained(browser, (REQUEST * 400).hex())
    assert "350 more frames." in found
    assert len(found) < 200_000


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"bytes": " "}, "nothing was pasted"),
        ({"bytes": "z!z"}, "neither hex nor base64"),
        ({"bytes": "abc", "spelling": "hex"}, "the bytes are no hex"),
        ({"bytes": "00", "dialect": "amqp"}, "dialect must be one of"),
    ],
)
def test_what_is_wrong_is_named(browser: TestClient, fields: dict[str, str], sentence: str) -> None:
    answer = browser.post("/wire", data=fields)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert f'spellcheck="false">{fields["bytes"]}</textarea>' in answer.text


def test_it_works_read_only_and_without_a_broker(browser: TestClient) -> None:
    assert browser.get("/wire").status_code == 200
