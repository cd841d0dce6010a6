"""The lens on every version of every message: each byte once and in order, and what codecs read."""

import gzip
import zlib
from functools import partial
from struct import pack
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barnabas.lens.contents.byte_messages import read_byte_messages
from barnabas.lens.contents.record_sets import read_records
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.walks.explaining import finished
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.lens.walks.walk import Content, Walk
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec as Compression
from tests.message_sets import message, wrapper
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
    """Mistakes outside of record sets and of what an Envelope holds, which are random bytes here."""
    return [
        str(fault)
        for fault in found.faults
        if "records" not in fault.path
        and "batches" not in fault.path
        and not fault.path.startswith("request_data")
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
    back = LENS.response(answered, RequestSummary(api.key, version, ID))
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
        (answered, lambda frame: LENS.response(frame, RequestSummary(api.key, version, ID))),
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


def old_messages() -> bytes:
    """A compressed message of 0.7 with two messages in it, and a plain one of 0.6."""
    inner = b"".join(_old(b"v%d" % number) for number in range(2))
    return _old(gzip.compress(inner), codec=1) + bytes.fromhex("00000006 00 8cdc1683 78")


def _old(payload: bytes, codec: int = 0) -> bytes:
    return pack(">ibbI", 6 + len(payload), 1, codec, zlib.crc32(payload)) + payload


def record_sets() -> list[tuple[bytes, Content]]:
    read = partial(read_records, cut=True)
    inner = [message(at, b"k", b"v", timestamp=1) for at in range(2)]
    sets: list[tuple[bytes, Content]] = [
        (wrapper(1, inner, codec, timestamp=1) + inner[0], read)
        for codec in (Compression.GZIP, Compression.SNAPPY, Compression.LZ4)
    ]
    for codec in Compression:
        builder = BatchBuilder(codec, 1 << 20)
        builder.append(1, b"key", b"value" * 10, (("header", None),))
        sets.append((bytes(builder.build()) * 2, read))
    return [*sets, (old_messages(), partial(read_byte_messages, cut=True))]


SETS = record_sets()


@pytest.mark.parametrize("number", range(len(SETS)))
def test_a_set_that_counts_less_than_no_records(number: int) -> None:
    good, read = SETS[number]
    broken = good[:57] + b"\x80" + good[58:]
    walk = Walk(broken)
    read(walk, "records")
    found = Explained(kind="records", name="", meaning="", data=broken)
    assert_covered(finished(found, walk), broken)


@pytest.mark.parametrize("number", range(len(SETS)))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_broken_record_sets(number: int, data: st.DataObject) -> None:
    good, read = SETS[number]
    walk = Walk(good)
    read(walk, "records")
    assert walk.faults == []
    broken = bytearray(good)
    places = st.tuples(st.integers(0, len(good) - 1), st.integers(0, 255))
    for place, byte in data.draw(st.lists(places, max_size=4)):
        broken[place] = byte
    del broken[data.draw(st.integers(0, len(good))) :]
    walk = Walk(bytes(broken))
    read(walk, "records")
    found = Explained(kind="records", name="", meaning="", data=bytes(broken))
    assert_covered(finished(found, walk), bytes(broken))
