"""The lens on every version of every message: each byte once and in order, and what codecs read."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barnabas.lens.kafka import KafkaLens
from barnabas.lens.part import Asked, Explained
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from tests.property.strategies.messages import messages

LENS = KafkaLens()
ID = 77

each_api = pytest.mark.parametrize("api", DECLARED.values(), ids=lambda api: api.name)
quick = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))


def assert_covered(found: Explained, data: bytes) -> None:
    position = 0
    for part in found.parts:
        assert part.start == position
        assert part.end > part.start
        position = part.end
        if part.inside is not None:
            inner = 0
            for each in part.inside.parts:
                assert each.start == inner
                inner = each.end
            assert inner == len(part.inside.data)
    assert position == len(data)
    for fault in found.faults:
        assert 0 <= fault.position <= len(data)
        assert fault.text


def frames(api: Any, data: st.DataObject) -> tuple[int, Any, bytes, Any, bytes]:
    """A version, and a request and a response in it with their frames."""
    version = data.draw(st.sampled_from(list(api.versions)))
    request = data.draw(messages(api.request, version, unknown=True))
    response = data.draw(messages(api.response, version, unknown=True))
    header = RequestHeader(api.key, version, ID, data.draw(st.none() | st.text(max_size=3)))
    asked = encode_request(header, request).joined()
    return (
        version,
        request,
        asked,
        response,
        encode_response(api.key, version, ID, response).joined(),
    )


def of_frame(found: Explained) -> list[str]:
    """Mistakes outside of record sets, which are random bytes here."""
    return [
        str(fault)
        for fault in found.faults
        if "records" not in fault.path and "batches" not in fault.path
    ]


@each_api
@quick
@given(data=st.data())
def test_each_byte_is_explained_once(api: Any, data: st.DataObject) -> None:
    version, request, asked, response, answered = frames(api, data)
    found = LENS.request(asked)
    assert_covered(found, asked)
    assert of_frame(found) == []
    assert found.message == request
    back = LENS.response(answered, Asked(api.key, version, ID))
    if api.name == "ApiVersions" and response.error_code == 35:
        return  # such a response is in version 0
    assert_covered(back, answered)
    assert of_frame(back) == []
    assert back.message == response


@each_api
@quick
@given(data=st.data())
def test_broken_bytes_are_named_where_they_are(api: Any, data: st.DataObject) -> None:
    version, _, asked, _, answered = frames(api, data)
    for frame, explain in (
        (asked, LENS.request),
        (answered, lambda frame: LENS.response(frame, Asked(api.key, version, ID))),
    ):
        broken = bytearray(frame)
        places = st.tuples(st.integers(0, len(frame) - 1), st.integers(0, 255))
        for place, byte in data.draw(st.lists(places, max_size=3)):
            broken[place] = byte
        del broken[data.draw(st.integers(0, len(frame))) :]
        found = explain(bytes(broken))
        assert_covered(found, bytes(broken))
        if len(broken) < len(frame):
            assert found.faults
